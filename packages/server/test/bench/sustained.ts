import { together } from './cost.ts';
import { BACKLOG, type RequestLoad, startBoundedFeed } from './feed.ts';
import type { Meter, Spent } from './meter.ts';
import { countReceived, untilReceived } from './route.ts';
import type { Measured } from './servers.ts';
import { median } from './wrk.ts';

/** How many events a second reach the receiver while as many are accepted. */

export interface Contender {
  readonly url: string;
  readonly apiKey: string;
  readonly load?: RequestLoad;
  /** Its own, so that nobody's stragglers count for another. */
  readonly receiver: Measured;
  /** Null where nobody asks what it costs. */
  readonly meter: Meter | null;
}

export interface Sustained {
  readonly eventsPerSecond: number;
  readonly spent: Spent | null;
}

/** A process that has just started compiles what it runs for the first time. */
const FIRST_WARM_UP_MS = 4_000;
const WARM_UP_MS = 1_500;
const WINDOW_MS = 6_000;

/** Turn and turn about, each at rest while another one has its turn. Answers what each came to, in their order. */
export async function sustainInTurns(contenders: readonly Contender[], rounds: number): Promise<Sustained[]> {
  const windows = contenders.map((): Sustained[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, contender] of contenders.entries())
      windows[i]?.push(await sustain(contender, round === 0 ? FIRST_WARM_UP_MS : WARM_UP_MS));
  }
  return windows.map(ofOne => {
    const spent = ofOne.flatMap(window => (window.spent ? [window.spent] : []));
    return {
      eventsPerSecond: median(ofOne.map(window => window.eventsPerSecond)),
      spent: spent.length > 0 ? together(spent) : null,
    };
  });
}

async function sustain(contender: Contender, warmUpMs: number): Promise<Sustained> {
  const { receiver } = contender;
  const atStart = await countReceived(receiver);
  const feed = await startBoundedFeed(contender);
  try {
    await untilReceived(receiver, atStart + BACKLOG);
    await Bun.sleep(warmUpMs);
    const stopMeter = await contender.meter?.start();
    const [before, began] = [await countReceived(receiver), performance.now()];
    await Bun.sleep(WINDOW_MS);
    const events = (await countReceived(receiver)) - before;
    const eventsPerSecond = (events * 1_000) / (performance.now() - began);
    return { eventsPerSecond, spent: (await stopMeter?.(events)) ?? null };
  } finally {
    await feed.stop();
    // What is left over must not take anything from the next one.
    await untilReceived(receiver, atStart + feed.sent());
  }
}
