/* The difference of two texts by lines: a longest common subsequence. */

export interface Line {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Beyond this many compared pairs the middle is shown as removed and added. */
const LIMIT = 2_000_000;

export function diffLines(before: string, after: string): Line[] {
  const a = before === '' ? [] : before.split('\n');
  const b = after === '' ? [] : after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    head += 1;
  }
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) {
    tail += 1;
  }
  return [
    ...mark('same', a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...mark('same', a.slice(a.length - tail))
  ];
}

function middle(a: string[], b: string[]): Line[] {
  if (a.length * b.length === 0 || a.length * b.length > LIMIT) {
    return [...mark('removed', a), ...mark('added', b)];
  }
  /* longest[i][j]: length of the common subsequence of a[i..] and b[j..] */
  const longest = a.map(() => new Uint32Array(b.length + 1));
  longest.push(new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i][j] =
        a[i] === b[j]
          ? longest[i + 1][j + 1] + 1
          : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] });
      i += 1;
      j += 1;
    } else if (longest[i + 1][j] >= longest[i][j + 1]) {
      lines.push({ kind: 'removed', text: a[i++] });
    } else {
      lines.push({ kind: 'added', text: b[j++] });
    }
  }
  return [
    ...lines,
    ...mark('removed', a.slice(i)),
    ...mark('added', b.slice(j))
  ];
}

function mark(kind: Line['kind'], texts: string[]): Line[] {
  return texts.map(text => ({ kind, text }));
}
