import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { navigation } from '../app/navigation.ts';

const STUCK_AFTER_MS = 1_500;

/** What lies over the page, and has the keys to itself. */
const OVER_THE_PAGE = '[role="dialog"], [role="menu"], [role="listbox"]';

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Whether a key may be one of the page's own. What is typed into a field is not, nor what belongs to the browser, nor
 * what is meant for a dialog or a menu that is open.
 */
export const isForPage = (event: KeyboardEvent): boolean =>
  !(event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) &&
  ![...document.querySelectorAll(OVER_THE_PAGE)].some(over => over.checkVisibility());

/** `g` and then a page's letter goes to that page. */
export function useGoKeys(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let pressedAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (!isForPage(event)) return;
      const page = navigation.find(({ key }) => key === event.key);
      if (event.timeStamp - pressedAt < STUCK_AFTER_MS && page) {
        event.preventDefault();
        // The letter is spent: `g e` must not also be an `e` on the page that is left.
        event.stopImmediatePropagation();
        pressedAt = Number.NEGATIVE_INFINITY;
        void navigate({ to: page.to });
      } else {
        pressedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      }
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [navigate]);
}
