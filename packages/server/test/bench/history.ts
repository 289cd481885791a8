import { costFigures } from './cost.ts';
import { ingestLoad, meteredIngestLoad } from './endpoints.ts';
import { atLeast, atMost, outOf, type Section, thousands } from './figure.ts';
import { untilAtRest } from './rest.ts';
import { type MeasuredSluice, startSluice } from './servers.ts';
import { compare, drive, median } from './wrk.ts';

const STORED_EVENTS = 5_000_000;

/** What five million stored events cost the ingest endpoints, and what a search through them does. */
export const historySection: Section = {
  name: 'history',
  about: `With ${thousands(STORED_EVENTS)} events stored, on embedded SQLite`,
  minutes: 8,
  async run() {
    const empty = await startSluice();
    const full = await startSluice();
    try {
      await fill(full, STORED_EVENTS);
      const [before, after] = await compare([meteredIngestLoad(empty), meteredIngestLoad(full)], 5);
      if (!before || !after) throw new Error('nothing was measured');

      const quiet: number[] = [];
      const searching: number[] = [];
      for (let round = 0; round < 5; round++) {
        quiet.push((await drive(meteredIngestLoad(full))).p99Ms);
        const search = keepSearching(full);
        searching.push((await drive(meteredIngestLoad(full))).p99Ms);
        await search.stop();
      }
      return [
        atLeast(
          `rate with ${thousands(STORED_EVENTS)} events stored over the rate with none`,
          after.requestsPerSecond / before.requestsPerSecond,
          0.95,
          outOf(after.requestsPerSecond, before.requestsPerSecond, 'requests/s'),
        ),
        ...costFigures('with none', before.spent),
        ...costFigures('with all of them', after.spent),
        atMost(
          'the ingest endpoint’s p99 during a dashboard search over all of them, over its quiet value',
          median(searching) / median(quiet),
          1.5,
          ` (${median(searching).toFixed(1)} ms to ${median(quiet).toFixed(1)} ms)`,
        ),
      ];
    } finally {
      await empty.stop();
      await full.stop();
    }
  },
};

/** Through the ingest endpoint, a hundred events a request, until enough are stored and settled. */
async function fill(sluice: MeasuredSluice, events: number): Promise<void> {
  let stored = 0;
  while (stored < events) {
    const { requestsPerSecond } = await drive(ingestLoad(sluice, 100, 10));
    stored += requestsPerSecond * 10 * 100;
  }
  await untilAtRest(sluice.url, 0, 600_000);
}

/** One search after another for a text that no event holds, so that each goes as far back as its time allows. */
function keepSearching(sluice: MeasuredSluice): { stop(): Promise<void> } {
  let searching = true;
  const done = (async () => {
    while (searching) {
      const response = await fetch(`${sluice.url}/dashboard/api/events?text=no-event-holds-this`, {
        headers: { Cookie: sluice.cookie },
      });
      if (!response.ok) throw new Error(`The search was refused with ${response.status}.`);
      await response.text();
    }
  })();
  return {
    async stop() {
      searching = false;
      await done;
    },
  };
}
