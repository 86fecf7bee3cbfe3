/* The matrix of what may leave: defaults, lines for paths and data frames, own words, and two switches. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import {
  DATA_LEVELS,
  TEXT_LEVELS,
  privacyFrom,
  privacyText,
  type DataLevel,
  type LevelLine,
  type Privacy,
  type TextLevel
} from '../leaving';
import { Choice } from './audit';
import { Newer } from './newer';
import { ProblemNote } from './problem';

export function Levels(): JSX.Element {
  const { actions, trans } = useFrame();
  const saved = useStore(state => state.leaving?.privacy);
  const [draft, setDraft] = React.useState<Privacy | null>(null);
  /* The levels that the draft was made from: others may be saved while it is made. */
  const [base, setBase] = React.useState<string | null>(null);
  const [isSaved, setSaved] = React.useState(false);
  if (!saved) {
    return <></>;
  }
  const shown = draft ?? privacyFrom(saved.text);
  const change = (part: Partial<Privacy>): void => {
    setSaved(false);
    setDraft({ ...shown!, ...part });
    setBase(draft ? base : saved.text);
  };
  return (
    <section aria-labelledby="linda-leaving">
      <h3 id="linda-leaving">{trans.__('What may leave')}</h3>
      <p className="linda-Note">
        {trans.__(
          'For models that run elsewhere; models on this machine see everything they may read.'
        )}
      </p>
      {saved.problem && <ProblemNote problem={saved.problem} />}
      {shown ? (
        <>
          <Switches privacy={shown} change={change} />
          <Matrix privacy={shown} change={change} />
          <label className="linda-Field">
            {trans.__('Own words to replace, one a line')}
            <textarea
              className="linda-Input linda-mod-grow"
              rows={3}
              spellCheck={false}
              value={shown.terms.join('\n')}
              onChange={event =>
                change({ terms: event.target.value.split('\n') })
              }
            />
          </label>
        </>
      ) : (
        <p>{trans.__('Mend the file by hand: %1', saved.path)}</p>
      )}
      {draft && base !== saved.text && (
        <Newer
          words={trans.__(
            'The levels were changed elsewhere meanwhile. Saving replaces them.'
          )}
          text={saved.text}
        />
      )}
      <div className="linda-Row">
        <button
          type="button"
          className="linda-Button linda-mod-primary"
          disabled={!draft}
          onClick={() =>
            void actions.savePrivacy(privacyText(draft!)).then(isDone => {
              setSaved(isDone);
              setDraft(isDone ? null : draft);
            })
          }
        >
          {trans.__('Save levels')}
        </button>
        <button
          type="button"
          className="linda-Button"
          disabled={!draft}
          onClick={() => setDraft(null)}
        >
          {trans.__('Undo changes')}
        </button>
        <span role="status">{isSaved ? trans.__('Saved') : ''}</span>
      </div>
    </section>
  );
}

interface PartProps {
  privacy: Privacy;
  change: (part: Partial<Privacy>) => void;
}

function Switches(props: PartProps): JSX.Element {
  const { trans } = useFrame();
  const { privacy, change } = props;
  return (
    <>
      <label className="linda-Check">
        <input
          type="checkbox"
          checked={privacy.all_local}
          onChange={event => change({ all_local: event.target.checked })}
        />{' '}
        {trans.__('All local: ask before anything goes elsewhere')}
      </label>
      <label className="linda-Check">
        <input
          type="checkbox"
          checked={privacy.offline}
          onChange={event => change({ offline: event.target.checked })}
        />{' '}
        {trans.__('Offline: no model elsewhere at all')}
      </label>
    </>
  );
}

function Matrix(props: PartProps): JSX.Element {
  const { trans } = useFrame();
  const { privacy, change } = props;
  const put = (at: number, line: LevelLine | null): void =>
    change({
      levels: privacy.levels.flatMap((one, index) =>
        index === at ? (line ? [line] : []) : [one]
      )
    });
  return (
    <div role="group" aria-label={trans.__('Levels')}>
      <div className="linda-Level">
        <span className="linda-mod-grow">{trans.__('Everything else')}</span>
        <TextChoice
          value={privacy.default.text}
          choose={text => change({ default: { ...privacy.default, text } })}
        />
        <DataChoice
          value={privacy.default.data}
          choose={data => change({ default: { ...privacy.default, data } })}
        />
      </div>
      {privacy.levels.map((line, at) => (
        <Line key={at} line={line} put={changed => put(at, changed)} />
      ))}
      <div className="linda-Row">
        <button
          type="button"
          className="linda-Button"
          onClick={() =>
            change({
              levels: [...privacy.levels, { path: '', text: 'redacted' }]
            })
          }
        >
          {trans.__('Add a path')}
        </button>
        <button
          type="button"
          className="linda-Button"
          onClick={() =>
            change({
              levels: [...privacy.levels, { frame: '', data: 'names' }]
            })
          }
        >
          {trans.__('Add a data frame')}
        </button>
      </div>
      <p className="linda-Note">
        {trans.__(
          'Of the lines that fit, the last one holds. Paths as in .gitignore.'
        )}
      </p>
    </div>
  );
}

function Line(props: {
  line: LevelLine;
  put: (line: LevelLine | null) => void;
}): JSX.Element {
  const { trans } = useFrame();
  const { line, put } = props;
  const isFrame = line.frame !== undefined && !line.path;
  const example = isFrame ? 'df_*' : 'data/*.csv';
  const label = isFrame ? trans.__('Data frame') : trans.__('Path pattern');
  return (
    <div className="linda-Level">
      <input
        className="linda-Input linda-mod-grow"
        aria-label={label}
        placeholder={example}
        value={(isFrame ? line.frame : line.path) ?? ''}
        onChange={event =>
          put(
            isFrame
              ? { ...line, frame: event.target.value }
              : { ...line, path: event.target.value }
          )
        }
      />
      {!isFrame && (
        <TextChoice
          value={line.text ?? ''}
          choose={text => put({ ...line, text })}
        />
      )}
      <DataChoice
        value={line.data ?? ''}
        choose={data => put({ ...line, data })}
      />
      <button
        type="button"
        className="linda-Button"
        aria-label={trans.__('Remove this line')}
        onClick={() => put(null)}
      >
        ✕
      </button>
    </div>
  );
}

function TextChoice(props: {
  value: TextLevel | '';
  choose: (value: TextLevel) => void;
}): JSX.Element {
  const { trans } = useFrame();
  const options = TEXT_LEVELS.map((one): [string, string] => [
    one,
    textWord(one, trans)
  ]);
  return (
    <Choice
      label={trans.__('Text of files and cells')}
      value={props.value}
      options={
        props.value ? options : [['', trans.__('text: as above')], ...options]
      }
      choose={value => props.choose(value as TextLevel)}
    />
  );
}

function DataChoice(props: {
  value: DataLevel | '';
  choose: (value: DataLevel) => void;
}): JSX.Element {
  const { trans } = useFrame();
  const options = DATA_LEVELS.map((one): [string, string] => [
    one,
    dataWord(one, trans)
  ]);
  return (
    <Choice
      label={trans.__('Data and outputs')}
      value={props.value}
      options={
        props.value ? options : [['', trans.__('data: as above')], ...options]
      }
      choose={value => props.choose(value as DataLevel)}
    />
  );
}

export function textWord(level: TextLevel, trans: TranslationBundle): string {
  return {
    local: trans.__('text stays here'),
    redacted: trans.__('text, identities replaced'),
    open: trans.__('text as it is')
  }[level];
}

export function dataWord(level: DataLevel, trans: TranslationBundle): string {
  return {
    names: trans.__('names and types'),
    statistics: trans.__('and statistics'),
    samples: trans.__('and sample rows'),
    values: trans.__('all data and outputs')
  }[level];
}
