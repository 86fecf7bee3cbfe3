/* A cell's outputs inside a card, by JupyterLab's renderers, untrusted. */

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import React from 'react';

import { useFrame } from '../frame';
import { hardenLinks } from '../sanitizer';
import type { Json } from '../types';

type Output = { [key: string]: Json };

export function Outputs(props: { outputs: Output[] }): JSX.Element {
  const { rendermime } = useFrame();
  const host = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    const made = props.outputs.flatMap(output => {
      const widget = render(output, rendermime);
      return widget ? [widget] : [];
    });
    made.forEach(widget => Widget.attach(widget, host.current!));
    return () =>
      made.forEach(widget => {
        Widget.detach(widget);
        widget.dispose();
      });
  }, [props.outputs, rendermime]);
  return <div ref={host} className="linda-Outputs" tabIndex={0} />;
}

function render(
  output: Output,
  rendermime: IRenderMimeRegistry
): Widget | null {
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
    .then(() => hardenLinks(renderer.node))
    .catch(() => {
      renderer.node.textContent = String(model.data['text/plain'] ?? '');
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
    const trace = Array.isArray(output.traceback) ? output.traceback : [];
    const text = trace.length
      ? trace.join('\n')
      : `${String(output.ename)}: ${String(output.evalue)}`;
    return { 'application/vnd.jupyter.stderr': text };
  }
  const data = (output.data ?? {}) as { [mime: string]: Json };
  return Object.fromEntries(
    Object.entries(data).map(([mime, value]) => [
      mime,
      mime.endsWith('json') ? value : joined(value)
    ])
  );
}

function joined(text: Json | undefined): Json {
  return Array.isArray(text) ? text.join('') : (text ?? '');
}
