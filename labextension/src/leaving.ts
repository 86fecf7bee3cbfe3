/* The file of privacy levels as the panel edits it; the server checks it when it is saved. */

import type { Consent, PrivacyText, RouteTrialResult } from './types';

export type TextLevel = RouteTrialResult['text_level'];
export type DataLevel = RouteTrialResult['data_level'];

export const TEXT_LEVELS: TextLevel[] = ['local', 'redacted', 'open'];
export const DATA_LEVELS: DataLevel[] = [
  'names',
  'statistics',
  'samples',
  'values'
];

/** What the permissions view shows of it. */
export interface Leaving {
  privacy: PrivacyText;
  consents: Consent[];
}

/** One line: of what fits a path, or of frames of such a name. */
export interface LevelLine {
  path?: string;
  frame?: string;
  text?: TextLevel;
  data?: DataLevel;
  note?: string;
}

export interface Privacy {
  version: 1;
  all_local: boolean;
  offline: boolean;
  default: { text: TextLevel; data: DataLevel };
  levels: LevelLine[];
  terms: string[];
}

/** The file's content; null where it is not what the panel can edit. */
export function privacyFrom(text: string): Privacy | null {
  let raw: Partial<Privacy> | null = null;
  try {
    raw = JSON.parse(text) as Partial<Privacy> | null;
  } catch {
    return null;
  }
  if (!raw || typeof raw !== 'object' || Array.isArray(raw)) {
    return null;
  }
  return {
    version: 1,
    all_local: raw.all_local ?? false,
    offline: raw.offline ?? false,
    default: {
      text: raw.default?.text ?? 'redacted',
      data: raw.default?.data ?? 'names'
    },
    levels: Array.isArray(raw.levels) ? raw.levels : [],
    terms: Array.isArray(raw.terms) ? raw.terms : []
  };
}

/** Text of the file; lines that name nothing or say nothing are left out. */
export function privacyText(privacy: Privacy): string {
  const levels = privacy.levels
    .filter(line => (line.path || line.frame) && (line.text || line.data))
    .map(line => (line.frame ? { ...line, text: undefined } : line));
  const terms = privacy.terms
    .map(term => term.trim())
    .filter(term => term.length > 1);
  return JSON.stringify({ ...privacy, levels, terms }, null, 2) + '\n';
}
