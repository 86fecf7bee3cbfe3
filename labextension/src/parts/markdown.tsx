/* Markdown by JupyterLab's renderer, untrusted; held-back pictures and code buttons added. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import React from 'react';

import { useFrame, type Frame } from '../frame';
import { hardenLinks, isSafeLink } from '../sanitizer';
import { button, offerPictures } from './pictures';

/** At most ten renders a second while text streams in. */
const RENDER_MS = 100;

export function Markdown(props: {
  text: string;
  isStreaming: boolean;
}): JSX.Element {
  const frame = useFrame();
  const host = React.useRef<HTMLDivElement>(null);
  const painter = React.useRef<Painter | null>(null);

  /* Layout effects end before React takes the host out, as Lumino needs. */
  React.useLayoutEffect(() => {
    const made = new Painter(host.current!, frame);
    painter.current = made;
    return () => made.dispose();
  }, [frame]);
  React.useLayoutEffect(() => {
    painter.current?.paint(props.text, !props.isStreaming);
  }, [props.text, props.isStreaming, frame]);

  return (
    <div ref={host} className="linda-Markdown" onClickCapture={refuseUnsafe} />
  );
}

/** Also for links that a renderer adds after our last look. */
function refuseUnsafe(event: React.MouseEvent): void {
  const link = (event.target as Element).closest('a, area, [*|href]');
  const href = link?.getAttribute('href') ?? link?.getAttribute('xlink:href');
  if (href && !isSafeLink(href)) {
    event.preventDefault();
    event.stopPropagation();
  }
}

/** One renderer of one message: joins renders that come too fast, never two at once. */
class Painter {
  constructor(
    host: HTMLElement,
    private readonly frame: Frame
  ) {
    this.renderer = frame.rendermime.createRenderer('text/markdown');
    Widget.attach(this.renderer, host);
  }

  paint(text: string, isFinal: boolean): void {
    this.wanted = { text, isFinal };
    if (!this.isBusy && this.timer === undefined) {
      void this.run();
    }
  }

  dispose(): void {
    window.clearTimeout(this.timer);
    this.isDisposed = true;
    this.renderer.dispose();
  }

  private async run(): Promise<void> {
    const { text, isFinal } = this.wanted;
    this.isBusy = true;
    const model = this.frame.rendermime.createModel({
      trusted: false,
      data: { 'text/markdown': text }
    });
    try {
      await this.renderer.renderModel(model);
    } finally {
      this.isBusy = false;
    }
    if (this.isDisposed) {
      return;
    }
    hardenLinks(this.renderer.node);
    decorate(this.renderer.node, this.frame, isFinal);
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      if (this.wanted.text !== text || this.wanted.isFinal !== isFinal) {
        void this.run();
      } else {
        hardenLinks(this.renderer.node);
      }
    }, RENDER_MS);
  }

  private readonly renderer: IRenderMime.IRenderer;
  private wanted = { text: '', isFinal: false };
  private isBusy = false;
  private isDisposed = false;
  private timer: number | undefined;
}

function decorate(node: HTMLElement, frame: Frame, isFinal: boolean): void {
  offerPictures(node, frame.trans);
  if (isFinal) {
    node.querySelectorAll('pre').forEach(pre => addCodeButtons(pre, frame));
  }
}

function addCodeButtons(pre: HTMLElement, { trans, code }: Frame): void {
  const text = (pre.textContent ?? '').replace(/\n$/, '');
  const bar = document.createElement('div');
  bar.className = 'linda-CodeBar';
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', trans.__('Code block'));
  const copy = button(trans.__('Copy'), 'linda-CodeBar-button', () => {
    void navigator.clipboard.writeText(text).then(
      () => flash(copy, trans.__('Copied'), trans.__('Copy')),
      () => flash(copy, trans.__('Not allowed'), trans.__('Copy'))
    );
  });
  const put = (label: string, act: (text: string) => boolean): void => {
    const made = button(label, 'linda-CodeBar-button', () => {
      const words = act(text) ? trans.__('Done') : trans.__('No notebook open');
      flash(made, words, label);
    });
    bar.append(made);
  };
  bar.append(copy);
  put(trans.__('Insert below'), text => code.insertBelow(text));
  put(trans.__('Replace cell'), text => code.replaceCell(text));
  pre.setAttribute('tabindex', '0');
  pre.before(bar);
}

function flash(node: HTMLElement, words: string, then: string): void {
  node.textContent = words;
  window.setTimeout(() => {
    node.textContent = then;
  }, 1500);
}
