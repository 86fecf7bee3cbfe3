/* The first view: chosen when there is something to choose by, and soon, whatever the server does. */

import type { Actions } from './actions';
import type { Store } from './store';

/** After so long the list of chats is shown, and stays: the server itself waits a minute for a worker's first start. */
const PATIENCE_MS = 65_000;
const OPEN = 'jupyter-linda:open';
const WELCOMED = 'jupyter-linda:welcomed';

/** Load what there is and choose a view, unless the person did; ends in a view even where `load` fails or hangs. */
export async function showFirst(
  actions: Actions,
  store: Store,
  load: () => Promise<void>,
  patience = PATIENCE_MS
): Promise<void> {
  const list = (): void => choose(store, () => store.update({ view: 'chats' }));
  const timer = setTimeout(list, patience);
  try {
    await load();
    await actions.loadProviders();
    choose(store, () => chooseByWhatIsKnown(actions, store));
  } catch (error) {
    actions.fault(String(error));
  } finally {
    clearTimeout(timer);
    list();
  }
}

/** After a reload, the chat that was open in this tab of the browser; a new user meets the first-run page. */
function chooseByWhatIsKnown(actions: Actions, store: Store): void {
  const { chats, providers, isListLoaded } = store.state;
  const open = openChat();
  if (chats.some(one => one.chat_id === open)) {
    void actions.openChat(open);
  } else if (!isListLoaded || chats.length > 0) {
    store.update({ view: 'chats' });
  } else if (providers?.length === 0 && !isWelcomed()) {
    actions.show('welcome');
  } else {
    actions.startChat();
  }
}

function choose(store: Store, act: () => void): void {
  if (store.state.view === 'starting') {
    act();
  }
}

/** Keep which chat is open, for a reload of this tab; none once the list of chats is shown. */
export function rememberOpenChat(store: Store): void {
  let last: string | null = null;
  store.changed.connect(() => {
    const { view, current } = store.state;
    const open = view === 'chats' ? '' : (current ?? '');
    if (view === 'starting' || open === last) {
      return;
    }
    last = open;
    try {
      window.sessionStorage.setItem(OPEN, open);
    } catch {
      return;
    }
  });
}

function openChat(): string {
  try {
    return window.sessionStorage.getItem(OPEN) ?? '';
  } catch {
    return '';
  }
}

/** A browser may keep nothing of a page; then the first-run page is met again. */
export function rememberWelcome(): void {
  try {
    window.localStorage.setItem(WELCOMED, '1');
  } catch {
    return;
  }
}

function isWelcomed(): boolean {
  try {
    return window.localStorage.getItem(WELCOMED) !== null;
  } catch {
    return false;
  }
}
