/* The plugin: puts the store, the stream, the hands and the panel together. */

import {
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { URLExt } from '@jupyterlab/coreutils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { ServerConnection } from '@jupyterlab/services';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';

import { Actions } from './actions';
import { Api } from './api';
import { codeActions } from './code';
import { addCellHelp } from './cellhelp';
import { addCommands } from './commands';
import { acceptDrops } from './drop';
import { watchFocus } from './focus';
import type { Frame } from './frame';
import { Mentions } from './mentions';
import { setTimeLanguage } from './moments';
import { NotebookHands } from './notebook';
import { notify } from './notices';
import { OperationError } from './operations';
import { LindaPanel } from './panel';
import { ChatSanitizer } from './sanitizer';
import { showStaged } from './staging';
import { rememberOpenChat, showFirst } from './starting';
import { Store, noticeOf, reduceEvents, type Preferences } from './store';
import { Stream, type OperationRequest, type Socket } from './stream';
import { DOMAIN, PANEL_PLUGIN } from './tokens';
import { timeLanguage, userLanguage, wordsFor } from './translation';
import type { Event } from './types';

const plugin: JupyterFrontEndPlugin<void> = {
  id: PANEL_PLUGIN,
  description: 'Linda, an assistant in the side panel.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [
    INotebookTracker,
    ITranslator,
    ISettingRegistry,
    ICommandPalette,
    ILayoutRestorer
  ],
  activate
};

export default plugin;

function activate(
  app: JupyterFrontEnd,
  rendermime: IRenderMimeRegistry,
  tracker: INotebookTracker | null,
  translatorOrNull: ITranslator | null,
  settings: ISettingRegistry | null,
  palette: ICommandPalette | null,
  restorer: ILayoutRestorer | null
): void {
  const translator = translatorOrNull ?? nullTranslator;
  const server = app.serviceManager.serverSettings;
  const store = new Store();
  const api = new Api(server);
  let trans = translator.load(DOMAIN);
  let spoken: Preferences['language'] | null = null;

  const stream = new Stream(() => socketTo(server), UUID.uuid4(), {
    home: () => store.state.homeSeq,
    events: events => take(events),
    request: request => void answer(request),
    cancel: requestId => hands.cancel(requestId),
    connection: connection => {
      store.update({ connection });
      if (connection === 'open' && !store.state.isListLoaded) {
        void actions.loadHome();
      }
    }
  });
  const actions = new Actions(api, store, stream);
  const hands = new NotebookHands(app, tracker, (requestId, text) =>
    stream.progress(requestId, text)
  );
  const sanitizer = new ChatSanitizer(
    rendermime.sanitizer,
    server.baseUrl,
    () => store.state.preferences.remoteImages
  );
  const parts = {
    store,
    actions,
    rendermime: rendermime.clone({ sanitizer }),
    commands: app.commands,
    mentions: new Mentions(app, tracker),
    code: codeActions(tracker, hands)
  };
  const frame = (): Frame => ({ ...parts, trans });
  const panel = new LindaPanel(frame());

  const reveal = (): void => {
    app.shell.activateById(panel.id);
    panel.focusComposer();
  };
  const take = (events: Event[]): void => {
    const { state, aftermath } = reduceEvents(store.state, events);
    store.update(state);
    for (const chatId of Object.keys(state.logs)) {
      stream.seen(chatId, state.logs[chatId].seq);
    }
    aftermath.gaps.forEach((after, chatId) => stream.follow(chatId, after));
    aftermath.stale.forEach(chatId => void actions.loadChat(chatId));
    if (aftermath.isHomeStale) {
      void actions.loadHome();
    }
    if (aftermath.isSettingsChanged) {
      void actions.loadModels();
      void actions.loadProviders();
    }
    if (aftermath.isRulesChanged && state.view === 'permissions') {
      void actions.loadPermissions();
    }
    for (const { before, after } of aftermath.chats) {
      if (before?.waiting !== after.waiting) {
        void actions.loadQuestions();
      }
      const kind = noticeOf(before, after);
      const isSeen =
        panel.isVisible && !document.hidden && store.state.view === 'chat';
      const isHere = isSeen && store.state.current === after.chat_id;
      if (kind && !isHere && store.state.preferences.notifications) {
        notify(kind, after, trans, () => {
          reveal();
          void actions.openChat(after.chat_id);
        });
      }
    }
  };
  const answer = async (request: OperationRequest): Promise<void> => {
    try {
      stream.reply(request.request_id, {
        result: await hands.perform(request)
      });
    } catch (error) {
      const fault =
        error instanceof OperationError
          ? error
          : new OperationError('Unavailable', String(error));
      stream.reply(request.request_id, { error: fault.problem });
    }
  };
  const prefer = async (preferences: Preferences): Promise<void> => {
    const isOther = preferences.language !== spoken;
    store.update({ preferences });
    if (isOther) {
      spoken = preferences.language;
      const auto = await userLanguage(settings, translator, navigator.language);
      trans = await wordsFor(preferences.language, auto, translator);
      setTimeLanguage(timeLanguage(preferences.language, auto));
      api.words = {
        unreachable: trans.__('The Jupyter server cannot be reached.'),
        unreachableRemedy: trans.__(
          'Check that it is running, then try again.'
        ),
        unexpected: status =>
          trans.__('The server answered with status %1.', String(status)),
        missing: trans.__('The server part of Linda is not running.'),
        missingRemedy: trans.__(
          'Restart Jupyter; if that does not help, run: jupyter server extension enable jupyter_linda'
        )
      };
      panel.speak(trans);
    }
  };

  rememberOpenChat(store);
  store.changed.connect(() => panel.showWaiting(store.state.questions.length));
  acceptDrops(panel, items => actions.attach(items));
  app.shell.add(panel, 'right', { rank: 900, type: 'Linda' });
  restorer?.add(panel, panel.id);
  addCommands({ app, actions, store, words: () => trans, palette, reveal });
  if (tracker) {
    addCellHelp(app, tracker, frame, reveal);
    showStaged(tracker, frame);
  }
  void followSettings(settings, prefer);
  const load = async (): Promise<void> => {
    await actions.loadHome();
    stream.start(window, () => !document.hidden);
    if (tracker) {
      watchFocus(tracker, {
        presence: presence => stream.presence(presence),
        focus: (notebook, context) => store.update({ notebook, context })
      });
    }
  };
  void app.restored.then(() => showFirst(actions, store, load));
}

function socketTo(server: ServerConnection.ISettings): Socket {
  const url = URLExt.join(server.wsUrl, 'linda', 'api', 'stream');
  const query =
    server.appendToken && server.token
      ? `?token=${encodeURIComponent(server.token)}`
      : '';
  return new server.WebSocket(url + query) as unknown as Socket;
}

async function followSettings(
  registry: ISettingRegistry | null,
  prefer: (preferences: Preferences) => Promise<void>
): Promise<void> {
  const settings = await registry?.load(PANEL_PLUGIN).catch(() => undefined);
  const read = (): void => {
    const { language, remoteImages, notifications } = (settings?.composite ??
      {}) as Partial<Preferences>;
    void prefer({
      language: language ?? 'auto',
      remoteImages: remoteImages ?? false,
      notifications: notifications ?? true
    });
  };
  settings?.changed.connect(read);
  read();
}
