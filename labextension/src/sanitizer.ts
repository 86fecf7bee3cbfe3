/* What chat content may never do, on top of JupyterLab's sanitizer: load, submit, command, pose as us. */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';

const LOADING = ['src', 'srcset', 'poster', 'background', 'data', 'longdesc'];
/** Elements that act when clicked; a task list's disabled checkbox stays. */
const ACTING =
  'form, button, textarea, select, iframe, object, embed, base, link, meta, style, input:not([type="checkbox"])';
const SAFE_LINK = /^(https?:|mailto:|[^:]*$|[^:]*[/?#])/i;
/** Loads something, or leaves its place; a backslash could spell either. */
const HARMFUL_STYLE = /url|image|position|z-index|\\/i;
const POSING = /^(linda|jp-|lm-)/;

/** Attribute under which a held-back picture's address waits for a click. */
export const HELD_IMAGE = 'data-linda-image';

export function isSafeLink(href: string): boolean {
  /* Browsers skip control characters and white space inside a scheme. */
  return SAFE_LINK.test(href.replace(/[\u0000-\u0020]/g, ''));
}

/** JupyterLab's sanitizer with our pass after it; the page never sees the text in between. */
export class ChatSanitizer implements IRenderMime.ISanitizer {
  constructor(
    private readonly base: IRenderMime.ISanitizer,
    private readonly origin: string,
    private readonly isRemoteAllowed: () => boolean
  ) {}

  readonly allowNamedProperties = false;
  readonly allowCommandLinker = false;

  getAutolink(): boolean {
    return this.base.getAutolink?.() ?? true;
  }

  sanitize(dirty: string, options?: IRenderMime.ISanitizerOptions): string {
    return this.strip(this.base.sanitize(dirty, options));
  }

  /** Works on an inert document: nothing in it is loaded or run. */
  strip(html: string): string {
    const inert = new DOMParser().parseFromString(html, 'text/html');
    inert.querySelectorAll(ACTING).forEach(node => {
      node.replaceWith(...node.childNodes);
    });
    inert.querySelectorAll('*').forEach(node => this.clean(node));
    inert.querySelectorAll(`img:not([src], [${HELD_IMAGE}])`).forEach(node => {
      node.replaceWith(node.getAttribute('alt') ?? '');
    });
    return inert.body.innerHTML;
  }

  private clean(node: Element): void {
    for (const { name, value } of [...node.attributes]) {
      if (name.startsWith('on') || name.startsWith('data-commandlinker')) {
        node.removeAttribute(name);
      } else if (name === 'style' && HARMFUL_STYLE.test(value)) {
        node.removeAttribute(name);
      } else if (name === HELD_IMAGE || name === 'id' || name === 'name') {
        node.removeAttribute(name);
      } else if (LOADING.includes(name) && !this.mayLoad(name, value)) {
        node.removeAttribute(name);
        if (
          node.tagName === 'IMG' &&
          name === 'src' &&
          /^https?:/i.test(value)
        ) {
          node.setAttribute(HELD_IMAGE, value);
        }
      } else if (/href$/.test(name) && !isSafeLink(value)) {
        node.removeAttribute(name);
      }
    }
    for (const name of [...node.classList].filter(one => POSING.test(one))) {
      node.classList.remove(name);
    }
  }

  private mayLoad(name: string, value: string): boolean {
    if (/^data:image\/(png|jpe?g|gif|webp|svg\+xml)[;,]/i.test(value)) {
      return name === 'src';
    }
    let url: URL;
    try {
      url = new URL(value, this.origin);
    } catch {
      return false;
    }
    /* Of our own server only files can be pictures; a GET there has no side effects. */
    const isFile =
      url.origin === new URL(this.origin).origin &&
      url.pathname.includes('/files/');
    return isFile || (this.isRemoteAllowed() && /^https?:$/.test(url.protocol));
  }
}

/** Last look at what a renderer made (MathJax makes links of its own). */
export function hardenLinks(node: HTMLElement): void {
  node.querySelectorAll('a, area, [*|href]').forEach(link => {
    const href =
      link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? '';
    if (href && !isSafeLink(href)) {
      link.removeAttribute('href');
      link.removeAttribute('xlink:href');
    } else if (/^https?:/i.test(href)) {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener noreferrer nofollow');
    }
  });
}
