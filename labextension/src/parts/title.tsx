/* A chat's title being changed: Enter keeps it, Escape does not. */

import React from 'react';

import { useFrame } from '../frame';

export function TitleInput(props: {
  title: string;
  /** With the new title, or null to keep the old one. */
  onDone: (title: string | null) => void;
}): JSX.Element {
  const { trans } = useFrame();
  const [text, setText] = React.useState(props.title);
  const input = React.useRef<HTMLInputElement>(null);
  React.useEffect(() => input.current?.select(), []);
  const keep = (): void => {
    const trimmed = text.trim();
    props.onDone(trimmed && trimmed !== props.title ? trimmed : null);
  };
  return (
    <input
      ref={input}
      className="linda-Input linda-mod-grow"
      aria-label={trans.__('Title of the chat')}
      maxLength={200}
      value={text}
      onChange={event => setText(event.target.value)}
      onBlur={keep}
      onKeyDown={event => {
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
          keep();
        } else if (event.key === 'Escape') {
          props.onDone(null);
        }
      }}
    />
  );
}
