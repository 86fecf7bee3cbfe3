/* The side panel: tabs over views; rarely used views load when first opened. */

import { ReactWidget } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { FrameContext, useFrame, useStore, type Frame } from './frame';
import { COMPOSER_SELECTOR } from './parts/composer';
import { MenuButton } from './parts/menu';
import { ProblemNote } from './parts/problem';
import { PANEL_ID, lindaIcon, type View } from './tokens';
import { ChatView } from './views/chat';
import { ChatsView } from './views/chats';
import { QuestionsView } from './views/questions';

const PermissionsView = React.lazy(() => import('./views/permissions'));
const SettingsView = React.lazy(() => import('./views/settings'));
const ReadinessView = React.lazy(() => import('./views/readiness'));
const TasksView = React.lazy(() => import('./views/tasks'));
const TraceView = React.lazy(() => import('./views/trace'));
const UsageView = React.lazy(() => import('./views/usage'));
const WelcomeView = React.lazy(() => import('./views/welcome'));

export class LindaPanel extends ReactWidget {
  constructor(private frame: Frame) {
    super();
    this.id = PANEL_ID;
    this.addClass('linda-Panel');
    this.title.icon = lindaIcon;
    this.retitle();
  }

  /** Say everything again in other words. */
  speak(trans: TranslationBundle): void {
    this.frame = { ...this.frame, trans };
    this.retitle();
    this.update();
  }

  /** The badge on the side bar's icon. */
  showWaiting(count: number): void {
    const shown = count > 0 ? String(count) : '';
    const { waiting, ...rest } = this.title.dataset;
    if (shown !== (waiting ?? '')) {
      this.title.dataset = shown ? { ...rest, waiting: shown } : rest;
      this.retitle();
    }
  }

  /** Give the keyboard to the composer, or to the view when there is none. */
  focusComposer(): void {
    const target =
      this.node.querySelector<HTMLElement>(COMPOSER_SELECTOR) ?? this.node;
    target.focus();
  }

  render(): JSX.Element {
    return (
      <FrameContext.Provider value={this.frame}>
        <Panel />
      </FrameContext.Provider>
    );
  }

  private retitle(): void {
    const { trans } = this.frame;
    const waiting = this.title.dataset.waiting;
    this.title.caption = waiting
      ? trans.__('Linda, the assistant (%1 waiting)', waiting)
      : trans.__('Linda, the assistant');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Linda'));
    this.node.lang = trans.__('en');
  }
}

/** A view that breaks is said and left; the tabs stay usable. */
class ViewBoundary extends React.Component<
  React.PropsWithChildren<{ onFault: (message: string) => void }>,
  { isBroken: boolean }
> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override componentDidCatch(error: Error): void {
    this.props.onFault(error.message);
  }

  override render(): React.ReactNode {
    return this.state.isBroken ? null : this.props.children;
  }
}

function Panel(): JSX.Element {
  const { actions, trans } = useFrame();
  const view = useStore(state => state.view);
  const problem = useStore(state => state.problem);
  return (
    <div className="linda-Root">
      <h2 className="linda-sr">{trans.__('Linda')}</h2>
      <Tabs />
      <ConnectionNote />
      <StatusNotes />
      {problem && (
        <ProblemNote problem={problem}>
          <button
            type="button"
            className="linda-Link"
            onClick={() => actions.clearProblem()}
          >
            {trans.__('Close')}
          </button>
        </ProblemNote>
      )}
      <div className="linda-Main">
        <ViewBoundary key={view} onFault={message => actions.fault(message)}>
          <React.Suspense fallback={null}>{viewOf(view)}</React.Suspense>
        </ViewBoundary>
      </div>
    </div>
  );
}

function viewOf(view: View): JSX.Element {
  switch (view) {
    case 'starting':
      return <Starting />;
    case 'chats':
      return <ChatsView />;
    case 'questions':
      return <QuestionsView />;
    case 'permissions':
      return <PermissionsView />;
    case 'tasks':
      return <TasksView />;
    case 'usage':
      return <UsageView />;
    case 'trace':
      return <TraceView />;
    case 'settings':
      return <SettingsView />;
    case 'readiness':
      return <ReadinessView />;
    case 'welcome':
      return <WelcomeView />;
    default:
      return <ChatView />;
  }
}

function Starting(): JSX.Element {
  const { trans } = useFrame();
  return (
    <p className="linda-Nothing" role="status">
      {trans.__('Loading…')}
    </p>
  );
}

function Tabs(): JSX.Element {
  const { actions, trans } = useFrame();
  const view = useStore(state => state.view);
  const waiting = useStore(state => state.questions.length);
  const tab = (
    target: View,
    label: string,
    isOn: boolean,
    badge = 0
  ): JSX.Element => (
    <button
      type="button"
      className="linda-Tab"
      aria-current={isOn ? 'page' : undefined}
      onClick={() => actions.show(target)}
    >
      {label}
      {badge > 0 && (
        <span className="linda-Badge">
          {badge}
          <span className="linda-sr">{trans.__(' waiting')}</span>
        </span>
      )}
    </button>
  );
  return (
    <nav className="linda-Tabs" aria-label={trans.__('Views of Linda')}>
      {tab(
        'chats',
        trans.__('Chats'),
        ['chat', 'chats', 'trace', 'welcome'].includes(view)
      )}
      {tab('questions', trans.__('Waiting'), view === 'questions', waiting)}
      {tab('permissions', trans.__('Permissions'), view === 'permissions')}
      <MenuButton
        className={`linda-Tab${['settings', 'readiness', 'tasks', 'usage'].includes(view) ? ' linda-mod-on' : ''}`}
        label="⋯"
        title={trans.__('More views')}
        items={[
          { label: trans.__('Tasks'), act: () => actions.show('tasks') },
          { label: trans.__('Usage'), act: () => actions.show('usage') },
          {
            label: trans.__('Models and settings'),
            act: () => actions.show('settings')
          },
          {
            label: trans.__('Readiness'),
            act: () => actions.show('readiness')
          },
          { label: trans.__('First steps'), act: () => actions.show('welcome') }
        ]}
      />
    </nav>
  );
}

/** What the server itself says is wrong. */
function StatusNotes(): JSX.Element {
  const status = useStore(state => state.status);
  const problems = [
    status?.database_problem,
    status?.worker_problem,
    status?.rules_problem,
    status?.policy_problem
  ];
  return (
    <>
      {problems.map(
        (problem, at) => problem && <ProblemNote key={at} problem={problem} />
      )}
    </>
  );
}

function ConnectionNote(): JSX.Element | null {
  const { actions, trans } = useFrame();
  const connection = useStore(state => state.connection);
  if (connection === 'open' || connection === 'connecting') {
    return null;
  }
  return (
    <div className="linda-Connection" role="status">
      <span>
        {connection === 'lost'
          ? trans.__('Not connected. Work on the server goes on.')
          : trans.__('Connection lost; trying again…')}
      </span>
      <button
        type="button"
        className="linda-Link"
        onClick={() => actions.reconnect()}
      >
        {trans.__('Reconnect')}
      </button>
    </div>
  );
}
