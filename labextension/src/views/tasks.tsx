/* The task list: what is to be done, by whom and until when. */

import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { sameItems, useFrame, useStore } from '../frame';
import { DeleteQuestion } from '../parts/confirm';
import type { Task, TaskStatus } from '../types';

const STATUSES: TaskStatus[] = ['open', 'doing', 'done', 'dropped'];

export default function TasksView(): JSX.Element {
  const { trans } = useFrame();
  const tasks = useStore(state => state.tasks ?? [], sameItems);
  const [isAll, setAll] = React.useState(false);
  const isOpen = (task: Task): boolean =>
    task.status === 'open' || task.status === 'doing';
  const shown = isAll ? tasks : tasks.filter(isOpen);
  const over = tasks.length - tasks.filter(isOpen).length;
  return (
    <div className="linda-View">
      <div className="linda-Scroll linda-Page">
        <h3>{trans.__('Tasks')}</h3>
        <NewTaskForm />
        {shown.length === 0 && (
          <p className="linda-Nothing" role="status">
            {trans.__('Nothing is to be done.')}
          </p>
        )}
        <ul className="linda-List" aria-label={trans.__('Tasks')}>
          {shown.map(task => (
            <TaskRow key={task.task_id} task={task} />
          ))}
        </ul>
        {over > 0 && (
          <button
            type="button"
            className="linda-Link"
            aria-expanded={isAll}
            onClick={() => setAll(!isAll)}
          >
            {isAll
              ? trans.__('Hide what is over')
              : trans._n(
                  'Show %1 that is over',
                  'Show %1 that are over',
                  over,
                  over
                )}
          </button>
        )}
      </div>
    </div>
  );
}

function NewTaskForm(): JSX.Element {
  const { actions, trans } = useFrame();
  const [title, setTitle] = React.useState('');
  const [due, setDue] = React.useState('');
  const [assignee, setAssignee] = React.useState<Task['assignee']>('me');
  return (
    <form
      className="linda-Row linda-NewTask"
      onSubmit={event => {
        event.preventDefault();
        void actions
          .addTask({ title: title.trim(), due, assignee })
          .then(isDone => {
            if (isDone) {
              setTitle('');
              setDue('');
            }
          });
      }}
    >
      <input
        className="linda-Input linda-mod-grow"
        aria-label={trans.__('New task')}
        placeholder={trans.__('New task')}
        maxLength={300}
        value={title}
        onChange={event => setTitle(event.target.value)}
      />
      <input
        className="linda-Input"
        type="date"
        aria-label={trans.__('Due')}
        value={due}
        onChange={event => setDue(event.target.value)}
      />
      <AssigneeSelect
        value={assignee}
        label={trans.__('Who does it')}
        onChange={setAssignee}
      />
      <button
        type="submit"
        className="linda-Button linda-mod-primary"
        disabled={!title.trim()}
      >
        {trans.__('Add')}
      </button>
    </form>
  );
}

function TaskRow(props: { task: Task }): JSX.Element {
  const { actions, trans } = useFrame();
  const { task } = props;
  const [title, setTitle] = React.useState<string | null>(null);
  const [isDeleting, setDeleting] = React.useState(false);
  const rename = (): void => {
    const text = title?.trim();
    setTitle(null);
    if (text && text !== task.title) {
      void actions.changeTask(task, { title: text });
    }
  };
  return (
    <li
      className={`linda-List-item linda-Task linda-mod-${task.status}`}
      data-task={task.task_id}
    >
      <div className="linda-List-text">
        <input
          className="linda-Input linda-Task-title"
          aria-label={trans.__('Title of the task %1', task.title)}
          title={task.title}
          maxLength={300}
          value={title ?? task.title}
          onChange={event => setTitle(event.target.value)}
          onBlur={rename}
          onKeyDown={event => {
            if (event.nativeEvent.isComposing) {
              return; // the key chooses a word
            }
            if (event.key === 'Enter') {
              event.currentTarget.blur();
            } else if (event.key === 'Escape') {
              setTitle(null);
            }
          }}
        />
        {task.notes && <span className="linda-Note">{task.notes}</span>}
      </div>
      <div className="linda-Row">
        <input
          className="linda-Input"
          type="date"
          aria-label={trans.__('Due date of %1', task.title)}
          value={task.due.slice(0, 10)}
          onChange={event =>
            void actions.changeTask(task, { due: event.target.value })
          }
        />
        <AssigneeSelect
          value={task.assignee}
          label={trans.__('Who does %1', task.title)}
          onChange={assignee => void actions.changeTask(task, { assignee })}
        />
        <select
          className="linda-Input"
          aria-label={trans.__('Status of %1', task.title)}
          value={task.status}
          onChange={event =>
            void actions.changeTask(task, {
              status: event.target.value as TaskStatus
            })
          }
        >
          {STATUSES.map(status => (
            <option key={status} value={status}>
              {statusWord(status, trans)}
            </option>
          ))}
        </select>
        <button
          type="button"
          className="linda-IconButton"
          title={trans.__('Delete %1', task.title)}
          aria-label={trans.__('Delete %1', task.title)}
          onClick={() => setDeleting(true)}
        >
          ✕
        </button>
      </div>
      {isDeleting && (
        <DeleteQuestion
          title={task.title}
          onYes={() => void actions.deleteTask(task)}
          onNo={() => setDeleting(false)}
        />
      )}
    </li>
  );
}

function AssigneeSelect(props: {
  value: Task['assignee'];
  label: string;
  onChange: (value: Task['assignee']) => void;
}): JSX.Element {
  const { trans } = useFrame();
  return (
    <select
      className="linda-Input"
      aria-label={props.label}
      value={props.value}
      onChange={event => props.onChange(event.target.value as Task['assignee'])}
    >
      <option value="me">{trans.__('Me')}</option>
      <option value="linda">{trans.__('Linda')}</option>
    </select>
  );
}

function statusWord(status: TaskStatus, trans: TranslationBundle): string {
  return {
    open: trans.__('open'),
    doing: trans.__('in work'),
    done: trans.__('done'),
    dropped: trans.__('dropped')
  }[status];
}
