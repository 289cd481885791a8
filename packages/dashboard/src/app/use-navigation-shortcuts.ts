import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isPageShortcut } from '../lib/page-shortcuts.ts';
import { navigation } from './pages.ts';

const STUCK_AFTER_MS = 1_500;

/** `g` and then a page's letter goes to that page. */
export function useNavigationShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let pressedAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (!isPageShortcut(event)) return;
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
