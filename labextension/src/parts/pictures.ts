/* Held-back pictures in rendered content: each waits behind a button that names its host. */

import type { TranslationBundle } from '@jupyterlab/translation';

import { HELD_IMAGE } from '../sanitizer';

export function offerPictures(
  node: HTMLElement,
  trans: TranslationBundle
): void {
  node.querySelectorAll('img:not([alt])').forEach(image => {
    image.setAttribute('alt', trans.__('Picture'));
  });
  node.querySelectorAll(`img[${HELD_IMAGE}]`).forEach(image => {
    const address = image.getAttribute(HELD_IMAGE) ?? '';
    const load = button(
      trans.__('Load picture from %1', hostOf(address)),
      'linda-Markdown-picture',
      () => {
        image.setAttribute('src', address);
        load.replaceWith(image);
      }
    );
    image.removeAttribute(HELD_IMAGE);
    image.replaceWith(load);
  });
}

/** A button outside of React: rendered content is JupyterLab's, not ours. */
export function button(
  label: string,
  className: string,
  act: () => void
): HTMLButtonElement {
  const node = document.createElement('button');
  node.type = 'button';
  node.className = className;
  node.textContent = label;
  node.addEventListener('click', act);
  return node;
}

function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return address.slice(0, 60);
  }
}
