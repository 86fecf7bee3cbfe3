/* The person's standing instructions, to read and to change. */

import React from 'react';

import { useFrame } from '../frame';

const MOST_CHARS = 8_000;

export function StandingInstructions(): JSX.Element {
  const { actions, trans } = useFrame();
  const [saved, setSaved] = React.useState<string | null>(null);
  const [text, setText] = React.useState('');
  const [words, setWords] = React.useState('');
  const id = React.useId();
  React.useEffect(() => {
    let isHere = true;
    void actions.instructions().then(found => {
      if (isHere && found !== null) {
        setSaved(found);
        setText(found);
      }
    });
    return () => {
      isHere = false;
    };
  }, [actions]);
  const save = async (): Promise<void> => {
    if (await actions.saveInstructions(text)) {
      setSaved(text);
      setWords(trans.__('They hold from the next message on.'));
    }
  };
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{trans.__('Standing instructions')}</h3>
      <p className="linda-Note">
        {trans.__(
          'What you want in every chat: a language, a style, how you name things. It allows nothing.'
        )}
      </p>
      <textarea
        className="linda-Input"
        rows={4}
        maxLength={MOST_CHARS}
        disabled={saved === null}
        value={text}
        aria-labelledby={id}
        onChange={event => {
          setText(event.target.value);
          setWords('');
        }}
      />
      <div className="linda-Row">
        <button
          type="button"
          className="linda-Button"
          disabled={saved === null || text === saved}
          onClick={() => void save()}
        >
          {trans.__('Save')}
        </button>
        <span className="linda-Note" role="status">
          {words}
        </span>
      </div>
    </section>
  );
}
