import { type ComponentType, lazy } from 'react';
import { loadMissingStyleSheets } from './style-sheets.ts';

const AGAIN_MS = 2_000;

/**
 * A part of a page that is loaded when it is first shown. A server that is away at that moment must not take the page
 * that stands away, so it is asked for until it comes; what is shown meanwhile is the `Suspense` around it.
 */
// biome-ignore lint/suspicious/noExplicitAny: what a component takes is for its user to know, as it is for `lazy`
export function lazily<T extends ComponentType<any>>(load: () => Promise<{ default: T }>) {
  return lazy(async () => {
    for (;;) {
      try {
        const part = await load();
        await loadMissingStyleSheets(document);
        return part;
      } catch {
        await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
      }
    }
  });
}
