/* Instructions in files: those nobody has decided about, and a switch for each of the others. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { useFrame, useStore } from '../frame';
import { isUndecided, notebookOf, type Known } from '../instructions';
import type { InstructionFile, InstructionText } from '../types';

/** What there is, as it was last read. */
function useInstructionFiles(): Known {
  const { instructionFiles } = useFrame().actions;
  return React.useSyncExternalStore(
    listener => {
      instructionFiles.changed.connect(listener);
      return () => {
        instructionFiles.changed.disconnect(listener);
      };
    },
    () => instructionFiles.state
  );
}

/** Keeps the list fresh: by chat, by notebook, with every prompt, and when `again` changes; renders with it. */
export function useFreshInstructions(again: unknown): void {
  const { actions } = useFrame();
  useInstructionFiles();
  const chatId = useStore(state => state.current ?? '');
  const path = useStore(notebookOf);
  const meter = useStore(state => state.logs[state.current ?? '']?.meter);
  React.useEffect(
    () => void actions.instructionFiles.load(chatId, path),
    [actions, chatId, path, meter, again]
  );
}

/** The line above the box, and what it opens. */
export function InstructionNote(): JSX.Element | null {
  const { actions, trans } = useFrame();
  const { files: all, isOpen } = useInstructionFiles();
  const files = all.filter(isUndecided);
  const id = React.useId();
  if (files.length === 0) {
    return null;
  }
  const { path, state } = files[0];
  const more = files.length - 1;
  const words =
    more > 0
      ? trans._n(
          '%2 and %1 more file are not used yet.',
          '%2 and %1 more files are not used yet.',
          more,
          path
        )
      : state === 'changed'
        ? trans.__('%1 changed: not used until you look at it.', path)
        : trans.__('%1 found here, not used yet.', path);
  return (
    <div className="linda-Instructions">
      <div className="linda-Row" role="status">
        <span className="linda-Note linda-mod-grow">{words}</span>
        <button
          type="button"
          className="linda-Button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => actions.instructionFiles.show(!isOpen)}
        >
          {isOpen ? trans.__('Close') : trans.__('Show')}
        </button>
      </div>
      {isOpen && <Review id={id} files={files} />}
    </div>
  );
}

function Review(props: {
  id: string;
  files: readonly InstructionFile[];
}): JSX.Element {
  const { actions, trans } = useFrame();
  return (
    <section
      id={props.id}
      className="linda-Instructions-review"
      aria-label={trans.__('Files that are not used yet')}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          actions.instructionFiles.show(false);
        }
      }}
    >
      <p className="linda-Note">
        {trans.__(
          'Whoever wrote this folder wrote them. Used, they guide how Linda works here; they allow nothing.'
        )}
      </p>
      {props.files.map(file => (
        <article key={file.path} aria-label={file.path}>
          <strong>{file.path}</strong>{' '}
          <span className="linda-Note">{aboutFile(file, trans)}</span>
          <FileText file={file}>
            {digest => <Decide file={file} digest={digest} />}
          </FileText>
        </article>
      ))}
    </section>
  );
}

/** What would be used of a file; what stands below it is about the very text that is shown. */
function FileText(props: {
  file: InstructionFile;
  children: (digest: string) => React.ReactNode;
}): JSX.Element {
  const { actions, trans } = useFrame();
  const { path, digest } = props.file;
  const [shown, setShown] = React.useState<InstructionText | null>(null);
  const [isFailed, setFailed] = React.useState(false);
  const [attempt, setAttempt] = React.useState(0);
  React.useEffect(() => {
    let isHere = true;
    setShown(null);
    setFailed(false);
    void actions.instructionText(path).then(found => {
      if (isHere) {
        setShown(found);
        setFailed(found === null);
      }
    });
    return () => {
      isHere = false;
    };
  }, [actions, path, digest, attempt]);
  if (isFailed) {
    return (
      <p className="linda-Note" role="status">
        {trans.__('Its text cannot be had now.')}{' '}
        <button
          type="button"
          className="linda-Link"
          onClick={() => setAttempt(attempt + 1)}
        >
          {trans.__('Try again')}
        </button>
      </p>
    );
  }
  return shown?.path !== path ? (
    <p className="linda-Note">{trans.__('Loading…')}</p>
  ) : (
    <>
      <pre tabIndex={0} role="group" aria-label={trans.__('Text of %1', path)}>
        {shown.text}
      </pre>
      {shown.digest === digest && props.children(shown.digest)}
    </>
  );
}

/** Use it or not; `digest` is of the text that the person sees. */
function Decide(props: { file: InstructionFile; digest: string }): JSX.Element {
  const { actions, trans } = useFrame();
  const { file, digest } = props;
  const choose = (isUsed: boolean): void =>
    void actions.chooseInstructions({ path: file.path, digest }, isUsed, '');
  return (
    <div className="linda-Row">
      {file.state !== 'used' && file.state !== 'off' && (
        <button
          type="button"
          className="linda-Button linda-mod-primary"
          aria-label={trans.__('Use %1', file.path)}
          onClick={() => choose(true)}
        >
          {trans.__('Use')}
        </button>
      )}
      {file.state !== 'refused' && (
        <button
          type="button"
          className="linda-Button"
          aria-label={trans.__('Do not use %1', file.path)}
          onClick={() => choose(false)}
        >
          {trans.__('Do not use')}
        </button>
      )}
    </div>
  );
}

/** In the meter: every file that somebody decided about, or that cannot be used. */
export function InstructionList(): JSX.Element | null {
  const { trans } = useFrame();
  const { files: all } = useInstructionFiles();
  const files = all.filter(file => !isUndecided(file));
  if (files.length === 0) {
    return null;
  }
  return (
    <div className="linda-Instructions-list">
      <strong>{trans.__('Files')}</strong>
      <ul aria-label={trans.__('Instructions, skills and commands in files')}>
        {files.map(file => (
          <FileRow key={`${file.source} ${file.path}`} file={file} />
        ))}
      </ul>
    </div>
  );
}

function FileRow(props: { file: InstructionFile }): JSX.Element {
  const { actions, trans } = useFrame();
  const { file } = props;
  const chatId = useStore(state => state.current ?? '');
  const [isOpen, setOpen] = React.useState(false);
  const isAllowed = file.state === 'used' || file.state === 'off';
  return (
    <li>
      <div className="linda-Row">
        {isAllowed ? (
          <label className="linda-mod-grow">
            <input
              type="checkbox"
              role="switch"
              checked={file.state === 'used'}
              onChange={event =>
                void actions.chooseInstructions(
                  file,
                  event.target.checked,
                  chatId
                )
              }
            />
            <span>{file.path}</span>
          </label>
        ) : (
          <span className="linda-mod-grow">{file.path}</span>
        )}
        {file.digest && (
          <button
            type="button"
            className="linda-Link"
            aria-expanded={isOpen}
            aria-label={trans.__('Show %1', file.path)}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? trans.__('Close') : trans.__('Show')}
          </button>
        )}
      </div>
      <div className="linda-Note">{aboutFile(file, trans)}</div>
      {isOpen && (
        <FileText file={file}>
          {digest =>
            file.source === 'workspace' && (
              <Decide file={file} digest={digest} />
            )
          }
        </FileText>
      )}
    </li>
  );
}

function aboutFile(file: InstructionFile, trans: TranslationBundle): string {
  const cost =
    file.kind === 'command'
      ? trans.__('when you call /%1', file.name)
      : trans.__('≈ %1 tokens', file.tokens.toLocaleString());
  return [
    file.source === 'person' ? trans.__('yours') : '',
    file.digest && file.state !== 'refused' ? cost : '',
    file.state === 'refused' ? trans.__('not used') : '',
    file.fault ? faultOf(file, trans) : ''
  ]
    .filter(Boolean)
    .join(' · ');
}

function faultOf(file: InstructionFile, trans: TranslationBundle): string {
  return {
    '': '',
    cut: trans.__('only its beginning: it is too long'),
    unreadable: trans.__('cannot be read'),
    not_text: trans.__('is no text'),
    closed: trans.__('a rule closes it'),
    malformed: trans.__('has not the form of a skill or a command'),
    bad_name: trans.__('its name is no name of a skill or a command'),
    too_many: trans.__('there are too many'),
    taken: trans.__('/%1 calls something else', file.name)
  }[file.fault];
}
