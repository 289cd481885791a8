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

/**
 * Each in its place, so that what it overrides still stands before it. Fails where one is still missing. Until it has come it
 * stays marked, so that whoever asks meanwhile waits for it too.
 */
export async function loadMissingStyleSheets(page: Document): Promise<void> {
  const missing = page.querySelectorAll<HTMLLinkElement>(`link[${MARK}]`);
  await Promise.all(
    [...missing].map(link => arrivalOf(link.getAttribute(MARK) === '' ? askAgain(link) : link)),
  );
}

function askAgain(link: HTMLLinkElement): HTMLLinkElement {
  const again = link.cloneNode() as HTMLLinkElement;
  again.setAttribute(MARK, 'asked');
  again.addEventListener('load', () => again.removeAttribute(MARK));
  link.replaceWith(again);
  return again;
}

function arrivalOf(link: HTMLLinkElement): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  link.addEventListener('load', () => resolve());
  link.addEventListener('error', () => reject(new Error(`${link.href} did not arrive.`)));
  return promise;
}
