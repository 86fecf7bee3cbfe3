/* The panel's words in the user's language; its catalogue travels with the panel. */

import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import {
  Gettext,
  type IJsonData,
  type ITranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import type { Preferences } from './store';
import { DOMAIN } from './tokens';

const LAB_LANGUAGE = '@jupyterlab/translation-extension:plugin';

/**
 * The language "auto" means: what JupyterLab was set to, else what it shows, else the browser's.
 * JupyterLab itself shows a language only where its language pack is installed.
 */
export async function userLanguage(
  registry: ISettingRegistry | null,
  translator: ITranslator,
  browser: string
): Promise<string> {
  const lab = await registry?.load(LAB_LANGUAGE).catch(() => undefined);
  const set = lab?.composite.locale;
  if (typeof set === 'string' && set !== 'default') {
    return set;
  }
  return translator.languageCode.startsWith('en')
    ? browser
    : translator.languageCode;
}

/** The language of dates and times: what was set, else the browser's. */
export function timeLanguage(
  language: Preferences['language'],
  auto: string
): string {
  return (language === 'auto' ? auto : language).replace('_', '-');
}

export async function wordsFor(
  language: Preferences['language'],
  auto: string,
  translator: ITranslator
): Promise<TranslationBundle> {
  const wanted = language === 'auto' ? auto : language;
  if (/^zh/i.test(wanted)) {
    return chinese();
  }
  return language === 'en'
    ? new Gettext({ domain: DOMAIN, locale: 'en' })
    : translator.load(DOMAIN);
}

async function chinese(): Promise<TranslationBundle> {
  const catalogue = (await import('./zh_CN.json')).default;
  const { plural_forms, ...header } = catalogue[''];
  const withHeader: IJsonData = {
    ...catalogue,
    '': { ...header, pluralForms: plural_forms }
  };
  const words = new Gettext({ domain: DOMAIN, locale: header.language });
  words.loadJSON(withHeader, DOMAIN);
  return words;
}
