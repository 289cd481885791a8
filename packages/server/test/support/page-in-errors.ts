import { errors, type Locator, type Page } from 'playwright-core';

const MOST_TEXT = 1_500;
/** A page that hangs says nothing, and the test is to fail all the same. */
const ANSWERS_WITHIN_MS = 5_000;
let isTold = false;

/** Whoever waits for something in vain, in this page or any other, is told what stood in the page instead. */
export function tellOfPageInErrors(page: Page): void {
  if (isTold) return;
  isTold = true;
  const locators = Object.getPrototypeOf(page.locator('html')) as Locator;
  for (const name of ['waitFor', 'click', 'fill', 'innerText'] as const) {
    const wait = locators[name] as (this: Locator, ...given: unknown[]) => Promise<unknown>;
    Object.assign(locators, {
      async [name](this: Locator, ...given: unknown[]) {
        try {
          return await wait.apply(this, given);
        } catch (error) {
          if (error instanceof errors.TimeoutError) error.message += await textOf(this.page());
          throw error;
        }
      },
    });
  }
}

const textOf = (page: Page): Promise<string> =>
  page.innerText('body', { timeout: ANSWERS_WITHIN_MS }).then(
    text => `\n${page.url()} has: ${text.replaceAll(/\s*\n\s*/g, ' | ').slice(0, MOST_TEXT)}`,
    problem => `\n${page.url()} does not answer: ${problem}`,
  );
