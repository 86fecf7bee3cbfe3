/* Where the user writes: chips, text, mode, send or stop. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { activeRun } from '../reduce';
import { chipKey, chipsOf, tokensOf } from '../attached';
import { carryOut, slashAt, slashCommands, slashOf } from '../slash';
import { EMPTY_DRAFT } from '../store';
import type { Mode } from '../types';
import { Chips } from './chips';
import { useChoices } from './choices';
import { mentionAt, useMentions } from './mention';
import { InstructionNote, useFreshInstructions } from './instructions';
import { MenuButton } from './menu';
import { Meter } from './meter';

/** Focus the composer; views and commands use it after they moved something. */
export const COMPOSER_SELECTOR = '.linda-Composer textarea';
const MODES: readonly Mode[] = ['ask', 'edit', 'plan'];

export function Composer(): JSX.Element {
  const { actions, commands, trans } = useFrame();
  const current = useStore(state => state.current);
  const draft = useStore(state => state.drafts[current ?? ''] ?? EMPTY_DRAFT);
  const isRunning = useStore(state => {
    const log = current ? state.logs[current] : undefined;
    return log !== undefined && activeRun(log) !== undefined;
  });
  const chips = useStore(chipsOf, sameItems);
  const isAnyRemoved = useStore(state =>
    state.context.some(item => state.removed.includes(chipKey(item)))
  );
  const [caret, setCaret] = React.useState(0);
  const [isLeft, setLeft] = React.useState(false);
  const query = isLeft ? null : mentionAt(draft.text, caret);
  const list = useMentions(
    query,
    item => {
      const from = caret - (query?.length ?? 0);
      const name = item.name.replace(/\s+/g, '-');
      const text = `${draft.text.slice(0, from)}${name} ${draft.text.slice(caret)}`;
      actions.attach([item]);
      actions.setDraft({ text, clientId: null });
      setCaret(from + name.length + 1);
    },
    () => setLeft(true)
  );
  /* An edited message stays one: its words are sent as they are, whatever they begin with. */
  const slash = isLeft || draft.editing ? null : slashAt(draft.text);
  useFreshInstructions(slash === null);
  const known = slash === null ? [] : slashCommands(actions, commands, trans);
  const slashes = useChoices({
    items: known.filter(one => one.name.startsWith(slash ?? '')),
    query: slash,
    label: trans.__('Commands'),
    row: one => (
      <>
        <span className="linda-Slash">/{one.name}</span>
        <span className="linda-Note linda-mod-grow">{one.label}</span>
        {one.source && <span className="linda-Note">{one.source}</span>}
      </>
    ),
    pick: one => void carryOut(one, actions),
    leave: () => setLeft(true)
  });
  const [isSending, setSending] = React.useState(false);
  const area = React.useRef<HTMLTextAreaElement>(null);
  const form = React.useRef<HTMLFormElement>(null);

  React.useEffect(() => {
    const node = area.current!;
    node.style.height = 'auto';
    node.style.height = `${Math.min(node.scrollHeight + 2, 220)}px`;
  }, [draft.text]);
  React.useEffect(() => {
    if (draft.editing) {
      area.current?.focus();
    }
  }, [draft.editing]);

  const send = async (): Promise<void> => {
    if (isSending || !draft.text.trim()) {
      return;
    }
    setSending(true);
    const command = slashOf(
      draft.text,
      slashCommands(actions, commands, trans)
    );
    await (command && !draft.editing
      ? carryOut(command, actions)
      : actions.send());
    setSending(false);
    /* Whoever went on to a cell meanwhile keeps the keyboard there. */
    const { activeElement, body } = document;
    if (activeElement === body || form.current?.contains(activeElement)) {
      area.current?.focus();
    }
  };
  const keys = (event: React.KeyboardEvent): void => {
    /* Enter that ends a composition of Chinese input is not "send". */
    if (list.take(event) || slashes.take(event)) {
      return;
    }
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key === 'Enter' && !event.shiftKey && !isComposing) {
      event.preventDefault();
      void send();
    } else if (event.key === 'Escape' && !isComposing) {
      event.stopPropagation();
      if (draft.editing) {
        actions.setDraft(EMPTY_DRAFT);
      } else if (isRunning && current) {
        void actions.stop(current);
      }
    }
  };
  return (
    <form
      ref={form}
      className="linda-Composer"
      aria-label={trans.__('Write to Linda')}
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
    >
      <InstructionNote />
      {draft.editing ? (
        <div className="linda-Chips">
          <span className="linda-Chip">
            {trans.__('Editing: the old version is kept')}
            <button
              type="button"
              aria-label={trans.__('Cancel editing')}
              onClick={() => actions.setDraft(EMPTY_DRAFT)}
            >
              ×
            </button>
          </span>
        </div>
      ) : (
        <div className="linda-Row">
          <Chips items={chips} onRemove={key => actions.removeChip(key)} />
          {chips.length > 0 && (
            <span
              className="linda-Note"
              title={trans.__('What this context costs, about')}
            >
              {trans.__(
                '≈ %1 tokens',
                String(chips.reduce((sum, item) => sum + tokensOf(item), 0))
              )}
            </span>
          )}
          {isAnyRemoved && (
            <button
              type="button"
              className="linda-Link"
              onClick={() => actions.restoreChips()}
            >
              {trans.__('+ context')}
            </button>
          )}
        </div>
      )}
      {list.list}
      {slashes.list}
      <textarea
        ref={area}
        aria-autocomplete="list"
        aria-activedescendant={list.active ?? slashes.active}
        rows={2}
        value={draft.text}
        placeholder={trans.__('Ask, or @ to add context…')}
        aria-label={trans.__('Message')}
        onChange={event => {
          setLeft(false);
          setCaret(event.target.selectionStart);
          actions.setDraft({ text: event.target.value, clientId: null });
        }}
        onSelect={event => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={keys}
      />
      <div className="linda-Row">
        <ModePicker />
        <Meter />
        <span className="linda-mod-grow" />
        {isRunning && current && (
          <button
            type="button"
            className="linda-Button"
            title={trans.__('Stop (Escape)')}
            onClick={() => void actions.stop(current)}
          >
            {trans.__('Stop')}
          </button>
        )}
        {(!isRunning || draft.text.trim()) && (
          <button
            type="submit"
            className="linda-Button linda-mod-primary"
            disabled={isSending || !draft.text.trim()}
          >
            {isRunning ? trans.__('Queue') : trans.__('Send')}
          </button>
        )}
      </div>
    </form>
  );
}

function ModePicker(): JSX.Element {
  const { actions, trans } = useFrame();
  const current = useStore(state => state.current);
  const mode = useStore(state =>
    current ? (state.logs[current]?.chat.mode ?? 'ask') : state.newChat.mode
  );
  return (
    <MenuButton
      label={<>{modeName(mode, trans)} ▾</>}
      title={trans.__('What Linda may do: %1', modeName(mode, trans))}
      items={MODES.map(one => ({
        label: modeName(one, trans),
        note: modeNote(one, trans),
        isChecked: one === mode,
        act: () => actions.setMode(one)
      }))}
    />
  );
}

function modeName(mode: Mode, trans: TranslationBundle): string {
  return {
    plan: trans.__('Plan only'),
    ask: trans.__('Ask before acting'),
    edit: trans.__('Edit freely here')
  }[mode];
}

function modeNote(mode: Mode, trans: TranslationBundle): string {
  return {
    plan: trans.__('Reads, and changes nothing'),
    ask: trans.__('Asks as your rules say'),
    edit: trans.__(
      'Changes files in this folder without asking; running code still asks'
    )
  }[mode];
}
