import type { Page } from 'playwright-core';
import { atLeast, type Figure, plainly, thousands } from './figure.ts';
import type { MeasuredSluice } from './servers.ts';

const EVENTS_A_SECOND = 200;
const EVENTS_AT_ONCE = 10;
const WARM_UP_MS = 3_000;
const MEASURED_MS = 10_000;

/** How many frames a second the live page draws while events come in faster than anybody can read. */
export async function liveFigures(page: Page, sluice: MeasuredSluice): Promise<Figure[]> {
  await page.goto(`${sluice.url}/live`);
  await page.getByRole('table', { name: 'Live events' }).waitFor();
  const load = keepSending(sluice);
  await new Promise(resolve => setTimeout(resolve, WARM_UP_MS));
  const { frames, longest, shown } = await page.evaluate(countFrames, MEASURED_MS);
  const sent = await load.stop();
  await page.context().close();
  const seconds = MEASURED_MS / 1_000;
  const rate = sent / ((WARM_UP_MS + MEASURED_MS) / 1_000);
  return [
    atLeast(
      `frames a second on the live page while ${EVENTS_A_SECOND} events/s come in`,
      frames / seconds,
      50,
      ` (the longest took ${longest.toFixed(0)} ms; ${rate.toFixed(0)} events/s were sent)`,
    ),
    plainly('events that it has shown on top meanwhile', thousands(shown)),
  ];
}

/** In the page: frames that were drawn, the longest between two of them, and how often another event came on top. */
function countFrames(ms: number): Promise<{ frames: number; longest: number; shown: number }> {
  return new Promise(resolve => {
    const started = performance.now();
    let [frames, longest, shown, last, top] = [0, 0, 0, started, ''];
    const next = (now: number) => {
      frames++;
      longest = Math.max(longest, now - last);
      last = now;
      const row = document.querySelector('[role="rowgroup"] [role="row"] a')?.getAttribute('href') ?? '';
      if (row !== top) shown++;
      top = row;
      if (now - started < ms) requestAnimationFrame(next);
      else resolve({ frames, longest, shown });
    };
    requestAnimationFrame(next);
  });
}

/** As an application would: small batches, evenly. Answers how many events were accepted. */
function keepSending({ url, apiKey }: MeasuredSluice): { stop(): Promise<number> } {
  let accepted = 0;
  const waiting = new Set<Promise<void>>();
  let n = 0;
  const timer = setInterval(
    () => {
      const events = Array.from({ length: EVENTS_AT_ONCE }, () => ({
        type: `order.${['paid', 'shipped', 'returned'][n++ % 3]}`,
        payload: { n },
      }));
      const request = fetch(`${url}/v1/ingest`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ events }),
      })
        .then(async response => {
          await response.text();
          if (response.ok) accepted += EVENTS_AT_ONCE;
        })
        .finally(() => waiting.delete(request));
      waiting.add(request);
    },
    (1_000 * EVENTS_AT_ONCE) / EVENTS_A_SECOND,
  );
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(waiting);
      return accepted;
    },
  };
}
