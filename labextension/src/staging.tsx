/* Her changes in the notebook itself: a diff at each cell, and a bar over the notebook for all of them. */

import type { Cell } from '@jupyterlab/cells';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { ReactWidget } from '@jupyterlab/ui-components';
import type { PanelLayout, Widget } from '@lumino/widgets';
import React from 'react';

import { FrameContext, type Frame } from './frame';
import { apiPath } from './operations';
import { StagedBar, StagedCell } from './parts/staged';
import { stagedIn, type Staged } from './staged';

/** Below the input of a cell: its header is at 0, its input at 1. */
const BELOW_INPUT = 2;

/** Show what is staged in every open notebook, for as long as the page lives. */
export function showStaged(
  tracker: INotebookTracker,
  frame: () => Frame
): void {
  const shown = new Map<NotebookPanel, ShownIn>();
  let last = '';

  const refresh = (): void => {
    const staged = stagedIn(frame().store.state);
    const paths: string[] = [];
    tracker.forEach(panel => paths.push(apiPath(panel.context.path)));
    const signature = JSON.stringify([paths, staged.map(signatureOf)]);
    if (signature === last) {
      return;
    }
    last = signature;
    tracker.forEach(panel => {
      const mine = staged.filter(
        one => one.path === apiPath(panel.context.path)
      );
      let notebook = shown.get(panel);
      if (!notebook && mine.length > 0) {
        notebook = new ShownIn(panel, frame);
        shown.set(panel, notebook);
        panel.disposed.connect(() => shown.delete(panel));
      }
      notebook?.show(mine);
    });
  };
  frame().store.changed.connect(refresh);
  tracker.widgetAdded.connect((_, panel) => {
    void panel.context.ready.then(() => {
      last = '';
      refresh();
    });
  });
}

/** What is shown in one notebook. */
class ShownIn {
  constructor(
    private readonly panel: NotebookPanel,
    private readonly frame: () => Frame
  ) {
    /* Cells come and go, also by her own edits: what hangs at them is put up again. */
    panel.content.model?.cells.changed.connect(() => this.place());
  }

  show(staged: Staged[]): void {
    this.staged = staged;
    this.place();
    this.placeBar();
  }

  private place(): void {
    if (this.isPlanned) {
      return;
    }
    this.isPlanned = true;
    requestAnimationFrame(() => {
      this.isPlanned = false;
      if (!this.panel.isDisposed) {
        this.hangAll();
      }
    });
  }

  /** What hangs where it belongs, and is as it was, stays: it may have the focus. */
  private hangAll(): void {
    const old = this.hung;
    this.hung = new Map();
    for (const one of this.staged) {
      const signature = signatureOf(one);
      const layout = this.cellOf(one)?.layout as PanelLayout | undefined;
      const there = old.get(signature);
      if (there && layout && there.parent === layout.parent) {
        old.delete(signature);
        this.hung.set(signature, there);
      } else if (layout) {
        const widget = new InNotebook(this.frame, () => (
          <StagedCell staged={one} />
        ));
        widget.addClass('linda-StagedAt');
        layout.insertWidget(one.index === 0 ? 0 : BELOW_INPUT, widget);
        this.hung.set(signature, widget);
      }
    }
    old.forEach(widget => widget.dispose());
  }

  private cellOf(one: Staged): Cell | undefined {
    const cells = this.panel.content.widgets;
    const there = cells.find(known => known.model.id === one.cellId);
    if (there || !one.question) {
      return there;
    }
    /* A cell that is to come: below the one before it, or above the first. */
    const { index } = one;
    const last = cells.length - 1;
    const isLast = index === null || index < 0 || index > last;
    return cells[isLast ? last : Math.max(index - 1, 0)];
  }

  private placeBar(): void {
    if (this.staged.length === 0) {
      this.bar?.dispose();
      this.bar = null;
    } else if (this.bar) {
      this.bar.update();
    } else {
      this.bar = new InNotebook(this.frame, () => (
        <StagedBar staged={this.staged} goTo={one => this.goTo(one)} />
      ));
      this.bar.addClass('linda-StagedBarAt');
      this.panel.contentHeader.addWidget(this.bar);
    }
  }

  private goTo(one: Staged): void {
    const cell = this.cellOf(one);
    const at = cell ? this.panel.content.widgets.indexOf(cell) : -1;
    if (at >= 0) {
      this.panel.content.activeCellIndex = at;
      void this.panel.content.scrollToItem(at);
    }
  }

  private staged: Staged[] = [];
  private hung = new Map<string, Widget>();
  private bar: Widget | null = null;
  private isPlanned = false;
}

/** Tells apart what would look different. */
function signatureOf(one: Staged): string {
  const calls = one.calls.map(call => call.call_id);
  return JSON.stringify([one.key, one.cellId, one.isHeld, one.words, calls]);
}

/** A part of the panel that stands in a notebook; `update` draws it again. */
class InNotebook extends ReactWidget {
  constructor(
    private readonly frame: () => Frame,
    private readonly content: () => JSX.Element
  ) {
    super();
    this.addClass('linda-InNotebook');
  }

  protected render(): JSX.Element {
    return (
      <FrameContext.Provider value={this.frame()}>
        {this.content()}
      </FrameContext.Provider>
    );
  }
}
