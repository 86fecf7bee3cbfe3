/* The panel's words in the user's language. */

import type { ServerConnection } from '@jupyterlab/services';
import {
  Gettext,
  requestTranslationsAPI,
  type IJsonData,
  type ITranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import type { Preferences } from './store';
import { DOMAIN } from './tokens';

interface Header {
  language: string;
  domain: string;
  plural_forms: string;
}

interface Catalogues {
  data: Record<string, IJsonData>;
}

/**
 * "auto" follows JupyterLab. Its menu offers only languages with an installed language pack, so the
 * panel has a choice of its own; the catalogue comes from the server, out of this package.
 */
export async function wordsFor(
  language: Preferences['language'],
  translator: ITranslator,
  settings: ServerConnection.ISettings
): Promise<TranslationBundle> {
  if (language === 'auto') {
    return translator.load(DOMAIN);
  }
  const words = new Gettext({ domain: DOMAIN, locale: language });
  if (language !== 'en') {
    const { data } = await requestTranslationsAPI<Catalogues>(
      '',
      language,
      {},
      settings
    );
    const catalogue = data[DOMAIN];
    if (catalogue) {
      const { plural_forms, ...header } = catalogue[''] as unknown as Header;
      const withHeader = {
        ...catalogue,
        '': { ...header, pluralForms: plural_forms }
      };
      words.loadJSON(withHeader, DOMAIN);
    }
  }
  return words;
}
