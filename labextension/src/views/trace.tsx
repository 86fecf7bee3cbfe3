/* Why did she do that? One run on one page: context, decisions, route, calls, tools, cost. */

import React from 'react';

import { useFrame, useStore } from '../frame';
import { clockTime, costOf, duration, tokensOf } from '../moments';
import type { ContextMeter, ModelCall, Trace } from '../types';
import { costWords } from './usage';

export default function TraceView(): JSX.Element {
  const { actions, trans } = useFrame();
  const runId = useStore(state => state.traced);
  const [trace, setTrace] = React.useState<Trace | null>(null);
  React.useEffect(() => {
    let isCurrent = true;
    setTrace(null);
    if (runId) {
      void actions.trace(runId).then(found => isCurrent && setTrace(found));
    }
    return () => {
      isCurrent = false;
    };
  }, [actions, runId]);
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page linda-Trace">
        <div className="linda-Row">
          <h3 className="linda-mod-grow">{trans.__('Trace')}</h3>
          {runId && (
            <button
              type="button"
              className="linda-Button"
              onClick={() => void actions.downloadTrace(runId)}
            >
              {trans.__('Download')}
            </button>
          )}
          <button
            type="button"
            className="linda-Button"
            onClick={() => actions.show('chat')}
          >
            {trans.__('Back to the chat')}
          </button>
        </div>
        {trace && <Page trace={trace} />}
      </div>
    </div>
  );
}

function Page(props: { trace: Trace }): JSX.Element {
  const { trans } = useFrame();
  const { trace } = props;
  return (
    <>
      <blockquote className="linda-Asked-text">{trace.asked.text}</blockquote>
      <p className="linda-Note">
        {clockTime(trace.run.queued_at)} ·{' '}
        {duration(trace.run.queued_at, trace.run.ended_at)} ·{' '}
        {costWords(trace.total, trans)}
      </p>
      <Part
        title={trans.__('What the model was given')}
        count={trace.contexts.length}
      >
        {trace.contexts.map((meter, at) => (
          <Context key={at} meter={meter} />
        ))}
      </Part>
      <Part
        title={trans.__('What rules decided')}
        count={trace.decisions.length}
      >
        <ul className="linda-Lines">
          {trace.decisions.map(entry => (
            <li key={entry.audit_id}>
              <strong>{entry.tool}</strong>: {entry.decision}
              {' · '}
              {entry.rule || entry.by}
            </li>
          ))}
        </ul>
      </Part>
      <Part
        title={trans.__('Which model, and why')}
        count={trace.model_calls.length}
      >
        {trace.model_calls.map(call => (
          <p key={call.model_call_id}>
            <strong>{call.model}</strong>
            {call.is_local && ` · ${trans.__('on this machine')}`}
            {call.reason && `: ${call.reason}`}
          </p>
        ))}
      </Part>
      <Part title={trans.__('Model calls')} count={trace.model_calls.length}>
        <ul className="linda-Lines">
          {trace.model_calls.map(call => (
            <Call key={call.model_call_id} call={call} />
          ))}
        </ul>
      </Part>
      <Part title={trans.__('Tools')} count={trace.tools.length}>
        <ul className="linda-Lines">
          {trace.tools.map(tool => (
            <li key={tool.call_id}>
              <strong>{tool.title || tool.name}</strong>:{' '}
              {tool.problem?.message ?? tool.state}
              {tool.done_at && ` · ${duration(tool.begun_at, tool.done_at)}`}
            </li>
          ))}
        </ul>
      </Part>
    </>
  );
}

function Part(
  props: React.PropsWithChildren<{ title: string; count: number }>
): JSX.Element {
  const { trans } = useFrame();
  return (
    <section>
      <h4>{props.title}</h4>
      {props.count > 0 ? (
        props.children
      ) : (
        <p className="linda-Note">{trans.__('Nothing.')}</p>
      )}
    </section>
  );
}

function Context(props: { meter: ContextMeter }): JSX.Element {
  const { trans } = useFrame();
  const { meter } = props;
  const parts = meter.parts.map(
    part => `${part.name || part.kind} ${tokensOf(part.tokens)}`
  );
  return (
    <p>
      {trans.__(
        '%1 of %2 tokens',
        tokensOf(meter.used),
        tokensOf(meter.window)
      )}
      {': '}
      {parts.join(', ')}
      {meter.shortened > 0 &&
        ` · ${trans._n('%1 result shortened', '%1 results shortened', meter.shortened, meter.shortened)}`}
    </p>
  );
}

function Call(props: { call: ModelCall }): JSX.Element {
  const { trans } = useFrame();
  const { call } = props;
  const cost = call.cost_usd === null ? null : costOf(call.cost_usd);
  const words = [
    trans.__(
      '%1 → %2 tokens',
      tokensOf(call.input_tokens),
      tokensOf(call.output_tokens)
    ) + (call.is_estimated ? ' ≈' : ''),
    call.cached_tokens > 0 &&
      trans.__('%1 kept by the provider', tokensOf(call.cached_tokens)),
    call.first_at &&
      trans.__('first piece after %1', duration(call.begun_at, call.first_at)),
    call.ended_at &&
      trans.__('whole after %1', duration(call.begun_at, call.ended_at)),
    cost ?? trans.__('price unknown'),
    call.outcome
  ];
  return (
    <li>
      <strong>{call.model}</strong>: {words.filter(Boolean).join(' · ')}
    </li>
  );
}
