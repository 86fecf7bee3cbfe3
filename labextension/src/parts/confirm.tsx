/* Asks before a chat or a task is deleted; the safe answer has the focus. */

import React from 'react';

import { useFrame } from '../frame';

export function DeleteQuestion(props: {
  title: string;
  onYes: () => void;
  onNo: () => void;
}): JSX.Element {
  const { trans } = useFrame();
  const no = React.useRef<HTMLButtonElement>(null);
  React.useEffect(() => no.current?.focus(), []);
  return (
    <div
      className="linda-Row linda-Confirm"
      role="group"
      aria-label={trans.__('Delete “%1”?', props.title)}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          props.onNo();
        }
      }}
    >
      <span className="linda-mod-grow">
        {trans.__('Delete “%1”? This cannot be undone.', props.title)}
      </span>
      <button
        ref={no}
        type="button"
        className="linda-Button"
        onClick={props.onNo}
      >
        {trans.__('Keep')}
      </button>
      <button
        type="button"
        className="linda-Button linda-mod-danger"
        onClick={props.onYes}
      >
        {trans.__('Delete')}
      </button>
    </div>
  );
}
