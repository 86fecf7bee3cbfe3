/* A cell's outputs inside a card, by JupyterLab's renderers, untrusted. */

import { Widget } from '@lumino/widgets';
import React from 'react';

import { useFrame, type Frame } from '../frame';
import { hardenLinks } from '../sanitizer';
import type { Json } from '../types';
import { offerPictures } from './pictures';

type Output = { [key: string]: Json };

export function Outputs(props: { outputs: Output[] }): JSX.Element {
  const frame = useFrame();
  const host = React.useRef<HTMLDivElement>(null);
  /* Layout effects end before React takes the host out, as Lumino needs. */
  React.useLayoutEffect(() => {
    const made = props.outputs.flatMap(output => {
      const widget = render(output, frame);
      return widget ? [widget] : [];
    });
    made.forEach(widget => Widget.attach(widget, host.current!));
    return () => made.forEach(widget => widget.dispose());
  }, [props.outputs, frame]);
  return <div ref={host} className="linda-Outputs" tabIndex={0} />;
}

function render(output: Output, frame: Frame): Widget | null {
  const { rendermime, trans } = frame;
  const model = rendermime.createModel({
    trusted: false,
    data: bundleOf(output)
  });
  const mime = rendermime.preferredMimeType(model.data, 'ensure');
  if (!mime) {
    return null;
  }
  const renderer = rendermime.createRenderer(mime);
  void renderer
    .renderModel(model)
    .then(() => {
      hardenLinks(renderer.node);
      offerPictures(renderer.node, trans);
    })
    .catch(() => {
      renderer.node.textContent = text(model.data['text/plain'] as Json);
    });
  return renderer;
}

function bundleOf(output: Output): { [mime: string]: Json } {
  if (output.output_type === 'stream') {
    const mime =
      output.name === 'stderr'
        ? 'application/vnd.jupyter.stderr'
        : 'application/vnd.jupyter.stdout';
    return { [mime]: joined(output.text) };
  }
  if (output.output_type === 'error') {
    const trace = joined(output.traceback, '\n');
    return {
      'application/vnd.jupyter.stderr':
        trace || `${text(output.ename)}: ${text(output.evalue)}`
    };
  }
  const data = (output.data ?? {}) as { [mime: string]: Json };
  return Object.fromEntries(
    Object.entries(data).map(([mime, value]) => [
      mime,
      mime.endsWith('json') ? value : joined(value)
    ])
  );
}

/** nbformat keeps long text as a list of lines. */
function joined(value: Json | undefined, separator = ''): Json {
  if (value === undefined || typeof value === 'string') {
    return value ?? '';
  }
  return Array.isArray(value) ? value.map(text).join(separator) : value;
}

function text(value: Json | undefined): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
