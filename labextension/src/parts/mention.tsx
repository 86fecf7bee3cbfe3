/* The list under an `@`: what can be attached. */

import React from 'react';

import { useFrame } from '../frame';
import type { Mention } from '../mentions';
import type { ContextItem } from '../types';
import { chipLabel } from './chips';
import { useChoices, type Choices } from './choices';

/** What is typed after an `@` that begins a word, up to the caret; null where there is none. */
export function mentionAt(text: string, caret: number): string | null {
  return /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, caret))?.[1] ?? null;
}

/** The list for a query; `pick` gets the chosen item. */
export function useMentions(
  query: string | null,
  pick: (item: ContextItem) => void,
  leave: () => void
): Choices {
  const { mentions, trans } = useFrame();
  const [items, setItems] = React.useState<Mention[]>([]);
  React.useEffect(() => {
    let isCurrent = true;
    if (query === null) {
      setItems([]);
      return;
    }
    void mentions.find(query).then(found => {
      if (isCurrent) {
        setItems(found);
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [query, mentions]);
  return useChoices({
    items,
    query,
    pick: ({ item }) => pick(item),
    leave,
    label: trans.__('Things to attach'),
    row: ({ item, words }) => (
      <>
        <span>{chipLabel(item, trans)}</span>
        {words && <code className="linda-Mentions-words">{words}</code>}
        <span className="linda-Note">{kindWord(item.kind, trans)}</span>
      </>
    )
  });
}

function kindWord(
  kind: ContextItem['kind'],
  trans: ReturnType<typeof useFrame>['trans']
): string {
  return {
    notebook: trans.__('notebook'),
    cell: trans.__('cell'),
    file: trans.__('file'),
    folder: trans.__('folder'),
    selection: trans.__('selection'),
    variable: trans.__('variable'),
    frame: trans.__('data frame'),
    output: trans.__('output'),
    picture: trans.__('picture'),
    command: trans.__('command'),
    skill: trans.__('skill')
  }[kind];
}
