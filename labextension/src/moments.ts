/* Instants and durations in words. */

const DAY_MS = 86_400_000;

/** The panel's language; undefined is the browser's. */
let language: string | undefined;

/** Dates and times are written in this language from now on; in the browser's where the tag is none. */
export function setTimeLanguage(tag: string): void {
  try {
    [language] = Intl.getCanonicalLocales(tag);
  } catch {
    language = undefined;
  }
}

/** Time of day; with the date when it is not today. */
export function clockTime(instant: string, now: Date = new Date()): string {
  const at = new Date(instant);
  const isToday = at.toDateString() === now.toDateString();
  return isToday
    ? at.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
    : at.toLocaleString(language, {
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit'
      });
}

/** For lists: time today, weekday this week, else the date. */
export function shortTime(instant: string, now: Date = new Date()): string {
  const at = new Date(instant);
  if (at.toDateString() === now.toDateString()) {
    return clockTime(instant, now);
  }
  const isThisWeek = now.getTime() - at.getTime() < 6 * DAY_MS;
  return at.toLocaleDateString(
    language,
    isThisWeek
      ? { weekday: 'short' }
      : { year: 'numeric', month: 'short', day: 'numeric' }
  );
}

/** "38 ms", "2.4 s", "3 min 5 s". */
export function duration(from: string | null, to: string | null): string {
  if (!from || !to) {
    return '';
  }
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  if (ms < 1000) {
    return `${ms} ms`;
  }
  if (ms < 60_000) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** "842", "12.4 k", "1.2 M". */
export function tokensOf(count: number): string {
  if (count < 10_000) {
    return Math.round(count).toLocaleString();
  }
  return count < 1_000_000
    ? `${(count / 1000).toFixed(1)} k`
    : `${(count / 1_000_000).toFixed(1)} M`;
}

/** US dollars, with what is below a cent still to be seen. */
export function costOf(usd: number): string {
  return usd === 0 ? '$0' : `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}
