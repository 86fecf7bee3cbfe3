/* Models and what they use, as people read them. */

import type { TranslationBundle } from '@jupyterlab/translation';

import { costOf, tokensOf } from './moments';
import type { ModelInfo, Usage } from './types';

const AUTOMATIC = 'linda/automatic';
const DEMO = 'linda/demo';

/** Whether a provider has it; ours are the demo model and the automatic choice. */
export function isReal(model: ModelInfo): boolean {
  return !model.model_id.startsWith('linda/');
}

/** A model's name, and what is to be known of it. */
export function describe(
  model: ModelInfo,
  trans: TranslationBundle
): { label: string; notes: string[] } {
  if (model.model_id === AUTOMATIC) {
    return {
      label: trans.__('Automatic'),
      notes: [
        trans.__(
          'on this machine first; what is hard, long or about language may go out, values of data do not'
        )
      ]
    };
  }
  return {
    label:
      model.model_id === DEMO
        ? trans.__('Built-in demo')
        : model.label || model.model_id,
    notes: [
      isReal(model) ? model.provider : '',
      model.is_local ? trans.__('on this machine') : '',
      model.is_ready ? '' : trans.__('not ready'),
      model.note
    ].filter(Boolean)
  };
}

/** A model's name in a list of one line each: two providers may have models of one name. */
export function nameInList(model: ModelInfo, trans: TranslationBundle): string {
  const { label } = describe(model, trans);
  return isReal(model) && model.provider
    ? `${label} (${model.provider})`
    : label;
}

/** Tokens in and out of one model call, and its price where that is known and not nothing. */
export function usageWords(usage: Usage, trans: TranslationBundle): string {
  const tokens = trans.__(
    '%1 → %2 tokens',
    tokensOf(usage.input_tokens),
    tokensOf(usage.output_tokens)
  );
  return usage.cost_usd ? `${tokens} · ${costOf(usage.cost_usd)}` : tokens;
}
