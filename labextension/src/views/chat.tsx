/* One chat: its head, its messages, the composer. */

import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { ApprovalCard } from '../parts/approval';
import { ChatHead } from '../parts/head';
import { Composer } from '../parts/composer';
import { CondensedLine } from '../parts/condensed';
import { DemoNote } from '../parts/demo';
import { EmptyChat } from '../parts/empty';
import { MessageRow } from '../parts/message';
import { RunLine, TurnEnd } from '../parts/run';
import { shownPath } from '../reduce';

/** Nearer to the end than this counts as reading the newest. */
const NEAR_PX = 48;

export function ChatView(): JSX.Element {
  const current = useStore(state => state.current);
  return (
    <div className="linda-View">
      <ChatHead key={current ?? ''} />
      <DemoNote />
      <Flow key={`flow ${current ?? ''}`} />
      <Composer />
    </div>
  );
}

function Flow(): JSX.Element {
  const { trans } = useFrame();
  const current = useStore(state => state.current);
  const path = useStore(state => {
    const log = current ? state.logs[current] : undefined;
    return log ? shownPath(log) : [];
  }, sameItems);
  const loose = useStore(state => {
    const log = current ? state.logs[current] : undefined;
    return Object.values(log?.questions ?? {}).filter(
      one => one.state === 'open' && !(one.call_id && log?.calls[one.call_id])
    );
  }, sameItems);
  const isLoading = useStore(state => current !== null && !state.logs[current]);
  const [scroller, setScroller] = React.useState<HTMLElement | null>(null);
  const isAtEnd = useStickToEnd(scroller);
  if (!isLoading && path.length === 0) {
    return <EmptyChat />;
  }
  return (
    <div className="linda-FlowBox">
      <div
        ref={setScroller}
        className="linda-Scroll linda-Flow"
        tabIndex={0}
        role="log"
        aria-label={trans.__('Messages')}
        aria-busy={isLoading}
      >
        <div className="linda-Flow-inside">
          {path.map((message, at) => (
            <React.Fragment key={message.message_id}>
              <MessageRow message={message} isLast={at === path.length - 1} />
              {path[at + 1]?.role === 'user' && <TurnEnd message={message} />}
              <CondensedLine message={message} />
            </React.Fragment>
          ))}
          {loose.map(question => (
            <ApprovalCard key={question.question_id} question={question} />
          ))}
          <RunLine />
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          className="linda-ToEnd"
          aria-label={trans.__('Go to the newest message')}
          onClick={() => scroller && toEnd(scroller)}
        >
          ↓
        </button>
      )}
    </div>
  );
}

function toEnd(node: HTMLElement): void {
  node.scrollTop = node.scrollHeight;
}

/** Keep to the end while the reader is there; leave the reader alone elsewhere. */
function useStickToEnd(node: HTMLElement | null): boolean {
  const [isAtEnd, setAtEnd] = React.useState(true);
  React.useEffect(() => {
    if (!node?.firstElementChild) {
      return;
    }
    let isSticking = true;
    let lastTop = node.scrollTop;
    const scrolled = (): void => {
      const rest = node.scrollHeight - node.scrollTop - node.clientHeight;
      /* Growth alone moves the end away; only scrolling up lets go of it. */
      isSticking = rest < NEAR_PX || (isSticking && node.scrollTop >= lastTop);
      lastTop = node.scrollTop;
      setAtEnd(isSticking);
    };
    const grown = new ResizeObserver(() => {
      if (isSticking) {
        toEnd(node);
      }
    });
    grown.observe(node);
    grown.observe(node.firstElementChild);
    node.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      grown.disconnect();
      node.removeEventListener('scroll', scrolled);
    };
  }, [node]);
  return isAtEnd;
}
