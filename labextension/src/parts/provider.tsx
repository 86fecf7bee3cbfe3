/* Connecting a provider: key, address, proxy, own CA, models; tested before it is saved. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { DetectedServer, ProviderTest } from '../api';
import { useFrame } from '../frame';
import type { Provider, ProviderInput } from '../types';
import { SaidByProvider } from './problem';

/** litellm's words for the providers most people have; any other can be typed. */
const KINDS = [
  'openai',
  'anthropic',
  'azure',
  'gemini',
  'mistral',
  'deepseek',
  'dashscope',
  'moonshot',
  'openrouter',
  'groq',
  'ollama',
  'lm_studio',
  'hosted_vllm'
];

const PRICE = { type: 'number', min: 0, step: 'any' };

interface Fields {
  label: string;
  kind: string;
  base_url: string;
  proxy: string;
  ca_file: string;
  models: string;
  input_usd: string;
  output_usd: string;
  key: string;
}

export function ProviderForm(props: {
  provider: Provider | null;
  found: DetectedServer | null;
  onDone: () => void;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const { provider } = props;
  const [fields, setFields] = React.useState<Fields>(() => start(props));
  const [test, setTest] = React.useState<ProviderTest | null>(null);
  const [isBusy, setBusy] = React.useState(false);
  const first = React.useRef<HTMLInputElement>(null);
  React.useEffect(() => first.current?.focus(), []);

  const name = provider?.name ?? nameFrom(fields);
  const field = (
    key: keyof Fields,
    label: string,
    more: React.InputHTMLAttributes<HTMLInputElement> = {}
  ): JSX.Element => (
    <label className="linda-Field">
      <span>{label}</span>
      <input
        className="linda-Input"
        value={fields[key]}
        autoComplete="off"
        spellCheck={false}
        onChange={event => setFields({ ...fields, [key]: event.target.value })}
        {...more}
      />
    </label>
  );
  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    await work();
    setBusy(false);
  };
  const testNow = (): Promise<void> =>
    run(async () => {
      const result = await actions.testProvider(name, inputOf(fields));
      setTest(result);
      if (result.ok && !fields.models.trim()) {
        setFields({ ...fields, models: result.models.join('\n') });
      }
    });
  const save = (): Promise<void> =>
    run(async () => {
      if (await actions.saveProvider(name, inputOf(fields))) {
        props.onDone();
      }
    });
  return (
    <form
      className="linda-Form"
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <h3>
        {provider
          ? trans.__('Edit %1', provider.label || provider.name)
          : trans.__('Connect a provider')}
      </h3>
      <label className="linda-Field">
        <span>{trans.__('Provider')}</span>
        <input
          ref={first}
          className="linda-Input"
          list="linda-kinds"
          required
          pattern="[a-z0-9_]{1,40}"
          value={fields.kind}
          onChange={event => setFields({ ...fields, kind: event.target.value })}
        />
        <datalist id="linda-kinds">
          {KINDS.map(kind => (
            <option key={kind} value={kind} />
          ))}
        </datalist>
      </label>
      {field('label', trans.__('Name shown to you'))}
      {field('key', trans.__('Key'), {
        type: 'password',
        autoComplete: 'new-password',
        placeholder: keyHint(provider, trans)
      })}
      {field('base_url', trans.__('Address, if it is not the usual one'), {
        type: 'url',
        placeholder: trans.__('https://…')
      })}
      <details>
        <summary>{trans.__('Proxy and certificates')}</summary>
        {field('proxy', trans.__('Proxy'), {
          placeholder: trans.__('http://…')
        })}
        {field('ca_file', trans.__('File of your own CA, on the server'))}
      </details>
      <label className="linda-Field">
        <span>{trans.__('Models, one a line')}</span>
        <textarea
          className="linda-Input"
          rows={3}
          spellCheck={false}
          value={fields.models}
          onChange={event =>
            setFields({ ...fields, models: event.target.value })
          }
        />
      </label>
      <details>
        <summary>{trans.__('Prices')}</summary>
        <p className="linda-Note">
          {trans.__(
            'US dollars for a million tokens. Leave them empty for a usual provider: its prices are known.'
          )}
        </p>
        {field('input_usd', trans.__('Input'), PRICE)}
        {field('output_usd', trans.__('Output'), PRICE)}
      </details>
      {test && <TestResult test={test} />}
      <div className="linda-Row">
        <button
          type="submit"
          className="linda-Button linda-mod-primary"
          disabled={isBusy}
        >
          {trans.__('Save')}
        </button>
        <button
          type="button"
          className="linda-Button"
          disabled={isBusy || !fields.kind}
          onClick={() => void testNow()}
        >
          {isBusy ? trans.__('Testing…') : trans.__('Test')}
        </button>
        <button type="button" className="linda-Button" onClick={props.onDone}>
          {trans.__('Cancel')}
        </button>
      </div>
    </form>
  );
}

function TestResult(props: { test: ProviderTest }): JSX.Element {
  const { test } = props;
  return (
    <div
      className={`linda-Test linda-mod-${test.ok ? 'ok' : 'error'}`}
      role="status"
    >
      <p>
        <span aria-hidden="true">{test.ok ? '✓' : '✕'}</span> {test.message}
      </p>
      {test.remedy && <p>{test.remedy}</p>}
      <SaidByProvider detail={test.detail} />
    </div>
  );
}

function start(props: {
  provider: Provider | null;
  found: DetectedServer | null;
}): Fields {
  const from = props.provider ?? props.found;
  return {
    label: from?.label ?? '',
    kind: from?.kind ?? '',
    base_url: from?.base_url ?? '',
    proxy: props.provider?.proxy ?? '',
    ca_file: props.provider?.ca_file ?? '',
    models: (from?.models ?? []).join('\n'),
    input_usd: String(props.provider?.input_usd ?? ''),
    output_usd: String(props.provider?.output_usd ?? ''),
    key: ''
  };
}

/** An empty key field keeps the stored key: it is never shown, so never sent back. */
function inputOf(fields: Fields): ProviderInput {
  return {
    label: fields.label.trim(),
    kind: fields.kind.trim(),
    base_url: fields.base_url.trim(),
    proxy: fields.proxy.trim(),
    ca_file: fields.ca_file.trim(),
    models: fields.models.split('\n').flatMap(line => line.trim() || []),
    input_usd: priceOf(fields.input_usd),
    output_usd: priceOf(fields.output_usd),
    key: fields.key || null
  };
}

/** Empty is unknown, which is not 0. */
function priceOf(text: string): number | null {
  return text.trim() === '' ? null : Number(text);
}

function nameFrom(fields: Fields): string {
  const from = fields.label.trim() || fields.kind.trim();
  return (
    from
      .toLowerCase()
      .replace(/[^a-z0-9_]+/g, '-')
      .replace(/^-+|-+$/g, '') || fields.kind.trim()
  );
}

function keyHint(provider: Provider | null, trans: TranslationBundle): string {
  return provider?.has_key
    ? trans.__('Leave empty to keep the stored key')
    : '';
}
