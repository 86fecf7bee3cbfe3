/* What replies took and cost: sums, days, models and budgets. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame } from '../frame';
import { costOf, tokensOf } from '../moments';
import { BudgetForm } from '../parts/budgets';
import type { BudgetState, UsageDay, UsageReport, UsageTotal } from '../types';

const SPANS = [1, 7, 30, 90, 365];

export default function UsageView(): JSX.Element {
  const { actions, trans } = useFrame();
  const [days, setDays] = React.useState(30);
  const [saved, setSaved] = React.useState(0);
  const [report, setReport] = React.useState<UsageReport | null>(null);
  React.useEffect(() => {
    let isCurrent = true;
    void actions.usage(days).then(found => isCurrent && setReport(found));
    return () => {
      isCurrent = false;
    };
  }, [actions, days, saved]);
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <div className="linda-Row">
          <h3 className="linda-mod-grow">{trans.__('Usage')}</h3>
          <select
            className="linda-Input"
            aria-label={trans.__('Time')}
            value={days}
            onChange={event => setDays(Number(event.target.value))}
          >
            {SPANS.map(span => (
              <option key={span} value={span}>
                {trans._n('Last day', 'Last %1 days', span, span)}
              </option>
            ))}
          </select>
        </div>
        {report && <Report report={report} days={days} />}
        {report && (
          <BudgetForm own={report.own} onNewer={() => setSaved(saved + 1)} />
        )}
      </div>
    </div>
  );
}

function Report(props: { report: UsageReport; days: number }): JSX.Element {
  const { trans } = useFrame();
  const { report } = props;
  if (report.total.calls === 0) {
    return (
      <p className="linda-Nothing" role="status">
        {trans.__('Nothing was used.')}
      </p>
    );
  }
  return (
    <>
      <Sums total={report.total} />
      <Days days={report.days} until={report.until} span={props.days} />
      <table className="linda-Table">
        <caption>{trans.__('By model')}</caption>
        <thead>
          <tr>
            <th scope="col">{trans.__('Model')}</th>
            <th scope="col">{trans.__('Calls')}</th>
            <th scope="col">{trans.__('Tokens')}</th>
            <th scope="col">{trans.__('Cost')}</th>
          </tr>
        </thead>
        <tbody>
          {report.models.map(row => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td>{row.total.calls.toLocaleString()}</td>
              <td>{tokensOf(allTokens(row.total))}</td>
              <td>{costWords(row.total, trans)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {report.budgets.map(budget => (
        <Budget key={`${budget.period}/${budget.unit}`} budget={budget} />
      ))}
      <p className="linda-Note">
        {trans.__(
          'To plan with: %1 runs a day of %2 output tokens, times %3, are %4 tokens a day.',
          report.planning.runs,
          report.planning.output_tokens,
          report.planning.factor,
          tokensOf(report.planning.tokens)
        )}
      </p>
    </>
  );
}

function Sums(props: { total: UsageTotal }): JSX.Element {
  const { trans } = useFrame();
  const { total } = props;
  const all = allTokens(total);
  const notes = [
    trans.__(
      '%1 in, %2 out',
      tokensOf(total.input_tokens),
      tokensOf(total.output_tokens)
    ),
    total.cached_tokens > 0 &&
      trans.__(
        '%1 of the input kept by the provider',
        tokensOf(total.cached_tokens)
      ),
    total.local_tokens > 0 &&
      trans.__(
        '%1 % on this machine',
        Math.round((total.local_tokens / Math.max(all, 1)) * 100)
      ),
    total.estimated_calls > 0 &&
      trans._n(
        '%1 call was counted here: an estimate',
        '%1 calls were counted here: an estimate',
        total.estimated_calls,
        total.estimated_calls
      )
  ];
  return (
    <div className="linda-Sums">
      <p>
        <strong>{costWords(total, trans)}</strong>
        {' · '}
        {trans.__('%1 tokens', tokensOf(all))}
        {' · '}
        {trans._n('%1 call', '%1 calls', total.calls, total.calls)}
      </p>
      <p className="linda-Note">{notes.filter(Boolean).join(' · ')}</p>
    </div>
  );
}

/** Tokens of each day as bars; a table says the same to those who do not see them. */
function Days(props: {
  days: UsageDay[];
  until: string;
  span: number;
}): JSX.Element {
  const { trans } = useFrame();
  const known = new Map(props.days.map(one => [one.day, one.total]));
  const end = props.days.at(-1)?.day ?? props.until.slice(0, 10);
  const shown = Array.from({ length: Math.max(props.span, 7) }, (_, at) => {
    const day = new Date(`${end}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() - (Math.max(props.span, 7) - 1 - at));
    return day.toISOString().slice(0, 10);
  });
  const most = Math.max(1, ...props.days.map(one => allTokens(one.total)));
  const width = 100 / shown.length;
  return (
    <figure className="linda-Bars">
      <svg viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
        {shown.map((day, at) => {
          const total = known.get(day);
          const all = total ? allTokens(total) : 0;
          const height = (all / most) * 29;
          const local = total
            ? (total.local_tokens / Math.max(all, 1)) * height
            : 0;
          return (
            <g key={day}>
              <title>{`${day}: ${all.toLocaleString()}`}</title>
              <rect
                className="linda-Bar"
                x={at * width + width * 0.1}
                y={30 - height}
                width={width * 0.8}
                height={height - local}
              />
              <rect
                className="linda-Bar linda-mod-local"
                x={at * width + width * 0.1}
                y={30 - local}
                width={width * 0.8}
                height={local}
              />
            </g>
          );
        })}
      </svg>
      <figcaption className="linda-Note">
        {trans.__('Tokens a day, at most %1', tokensOf(most))}
      </figcaption>
      <ul className="linda-sr">
        {props.days.map(one => (
          <li key={one.day}>
            {one.day}: {trans.__('%1 tokens', tokensOf(allTokens(one.total)))},{' '}
            {costWords(one.total, trans)}
          </li>
        ))}
      </ul>
    </figure>
  );
}

function Budget(props: { budget: BudgetState }): JSX.Element {
  const { trans } = useFrame();
  const { budget } = props;
  const label =
    budget.period === 'day'
      ? trans.__('Budget of today')
      : trans.__('Budget of this month');
  const shown = (value: number): string =>
    budget.unit === 'usd' ? costOf(value) : tokensOf(value);
  return (
    <label className="linda-Budget">
      {label}: {shown(budget.used)} / {shown(budget.limit)}{' '}
      {budget.unit === 'tokens' && trans.__('tokens')}
      <meter
        min={0}
        max={budget.limit}
        high={budget.limit * 0.8}
        value={budget.used}
      />
    </label>
  );
}

function allTokens(total: UsageTotal): number {
  return total.input_tokens + total.output_tokens;
}

/** Money that is known, and how many calls are in no sum of money. */
export function costWords(total: UsageTotal, trans: TranslationBundle): string {
  if (total.unpriced_calls === 0) {
    return costOf(total.cost_usd);
  }
  return total.unpriced_calls === total.calls
    ? trans.__('price unknown')
    : trans._n(
        '%2 and %1 call of unknown price',
        '%2 and %1 calls of unknown price',
        total.unpriced_calls,
        costOf(total.cost_usd)
      );
}
