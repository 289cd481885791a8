import { flushSync } from 'react-dom';

/**
 * Removes something together with the button that was pressed for it, and moves the focus to what is next, or else to
 * the way back: at the top of the page nobody who goes by keys or by ear knows where they are.
 */
export function focusAfterRemoval(remove: () => void, next: () => HTMLElement | null): void {
  flushSync(remove);
  const left = next();
  const undo = [...document.querySelectorAll<HTMLElement>('[data-undo]')].at(-1);
  (left?.isConnected ? left : undo)?.focus();
}

/** Removes a row with a button in it: the focus moves to the same button of the row below, or above the last. */
export function removeRow(button: HTMLElement, remove: () => void): void {
  const row = button.closest('tr, li, [role="row"]');
  const place = row ? [...row.querySelectorAll('button')].indexOf(button as HTMLButtonElement) : -1;
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
  const next = neighbour?.querySelectorAll('button')[place] ?? null;
  focusAfterRemoval(remove, () => next);
}
