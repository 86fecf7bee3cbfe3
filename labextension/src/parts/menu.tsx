/* A button that opens a menu: arrows move, Enter chooses, Escape closes and gives the focus back. */

import React from 'react';

export interface MenuItem {
  label: string;
  /** A second, quieter line. */
  note?: string;
  isDangerous?: boolean;
  isChecked?: boolean;
  act: () => void;
}

export function MenuButton(props: {
  label: React.ReactNode;
  title: string;
  className?: string;
  items: MenuItem[];
  isDisabled?: boolean;
}): JSX.Element {
  const [isOpen, setOpen] = React.useState(false);
  const button = React.useRef<HTMLButtonElement>(null);
  const menu = React.useRef<HTMLDivElement>(null);
  const id = React.useId();

  React.useLayoutEffect(() => {
    if (!isOpen) {
      return;
    }
    /* The top layer: no part of the panel cuts the list off or moves it. */
    menu.current!.setAttribute('popover', 'manual');
    menu.current!.showPopover?.();
    place(menu.current!, button.current!);
    const items = itemsOf(menu.current!);
    (items.find(item => item.ariaChecked === 'true') ?? items[0])?.focus();
    const outside = (event: MouseEvent): void => {
      const target = event.target as Node;
      if (
        !menu.current?.contains(target) &&
        !button.current?.contains(target)
      ) {
        setOpen(false);
      }
    };
    document.addEventListener('pointerdown', outside, true);
    return () => document.removeEventListener('pointerdown', outside, true);
  }, [isOpen]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };

  return (
    <span className="linda-Menu">
      <button
        ref={button}
        type="button"
        className={props.className ?? 'linda-Pill'}
        title={props.title}
        aria-label={props.title}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        disabled={props.isDisabled}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={event => {
          if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            event.preventDefault();
            setOpen(true);
          }
        }}
      >
        {props.label}
      </button>
      {isOpen && (
        <div
          ref={menu}
          id={id}
          role="menu"
          aria-label={props.title}
          className="linda-Menu-list"
          onKeyDown={event => move(event, menu.current!, close)}
        >
          {props.items.map((item, at) => (
            <button
              key={at}
              type="button"
              role={item.isChecked === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={item.isChecked}
              tabIndex={-1}
              className={`linda-Menu-item${item.isDangerous ? ' linda-mod-danger' : ''}`}
              onClick={() => {
                close();
                item.act();
              }}
            >
              <span>{item.label}</span>
              {item.note && <small>{item.note}</small>}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}

function itemsOf(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
}

/** Fixed to the window, so that a narrow panel does not cut it off. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = Math.min(at.left, window.innerWidth - width - 8);
  const isBelow = at.bottom + height + 8 < window.innerHeight;
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${isBelow ? at.bottom + 2 : Math.max(8, at.top - height - 2)}px`;
}

function move(
  event: React.KeyboardEvent,
  menu: HTMLElement,
  close: () => void
): void {
  const items = itemsOf(menu);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const steps: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1
  };
  if (event.key in steps) {
    items[steps[event.key]].focus();
  } else if (event.key === 'Escape' || event.key === 'Tab') {
    close();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}
