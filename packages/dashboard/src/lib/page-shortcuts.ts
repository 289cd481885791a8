/** The keys of the page itself, apart from what is typed and from what a dialog has for its own. */

/** What lies over the page, and has the keys to itself. */
const OVER_THE_PAGE = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Whoever has just selected a row goes on by keys: nothing is typed into a box. */
const isBox = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type);

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  !isBox(target) &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Whether a key may be one of the page's own. What is typed into a field is not, nor what belongs to the browser, nor
 * what is meant for a dialog or a menu that is open.
 */
export const isPageShortcut = (event: KeyboardEvent): boolean =>
  !(event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) &&
  ![...document.querySelectorAll(OVER_THE_PAGE)].some(over => over.checkVisibility());
