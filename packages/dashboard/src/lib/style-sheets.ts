/**
 * Style sheets that did not arrive with a part of the dashboard. Whoever loads that part again gets its scripts alone, since
 * the bundler takes what it has once asked for as there: such sheets are marked in the document, and asked for again here.
 */
const MARK = 'data-missing';

export function markMissingStyleSheets(page: Document): void {
  page.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') target.setAttribute(MARK, '');
    },
    // It does not bubble.
    true,
  );
}

/** Each in its place, so that what it overrides still stands before it. Fails where one is still missing. */
export async function loadMissingStyleSheets(page: Document): Promise<void> {
  const missing = page.querySelectorAll(`link[${MARK}]`);
  await Promise.all(
    [...missing].map(link => {
      const again = link.cloneNode() as HTMLLinkElement;
      again.removeAttribute(MARK);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      again.addEventListener('load', () => resolve());
      again.addEventListener('error', () => reject(new Error(`${again.href} did not arrive.`)));
      link.replaceWith(again);
      return promise;
    }),
  );
}
