import { startPostgres } from '../support/postgres.ts';
import { costFigures } from './cost.ts';
import { atLeast, type Figure, outOf, plainly, type Section, thousands } from './figure.ts';
import { postgresFootprint, sqliteFootprint } from './footprint.ts';
import { meterOnPostgres, meterOnSqlite } from './meter.ts';
import { CONCURRENCY, type Route, routeTo, THREE_STEPS } from './route.ts';
import { type Measured, type MeasuredSluice, startReceiver, startRelay, startSluice } from './servers.ts';
import { type Contender, type Sustained, sustainInTurns } from './sustained.ts';

const ROUNDS = 3;

/** The whole way: accepted, three steps, and a signed webhook that the receiver answers with 200. */
export const deliverySection: Section = {
  name: 'delivery',
  about: `From the endpoint through transform, filter and redact to a signed webhook, sustained, 100 events a request, ${CONCURRENCY} deliveries at once, against a bare relay`,
  minutes: 5,
  async run() {
    return [...(await againstRelay()), await besideOneThatHangs()];
  },
};

async function againstRelay(): Promise<Figure[]> {
  const postgres = await startPostgres();
  const { url: databaseUrl } = await postgres.freshDatabase();
  const relayed = await startReceiver();
  const relay = await startRelay(relayed);
  const withSteps = await startRouted({ steps: THREE_STEPS });
  const without = await startRouted({ steps: [] });
  const onPostgres = await startRouted({ steps: THREE_STEPS }, { databaseUrl });
  const started = [withSteps, without, onPostgres];
  try {
    const [ofRelay, ...ofServices] = await sustainInTurns(
      [
        { url: relay.url, apiKey: '', receiver: relayed, meter: null },
        { ...contenderOf(withSteps), meter: meterOnSqlite(withSteps.sluice) },
        { ...contenderOf(without), meter: meterOnSqlite(without.sluice) },
        {
          ...contenderOf(onPostgres),
          meter: meterOnPostgres(onPostgres.sluice, postgres, databaseUrl),
        },
      ],
      ROUNDS,
    );
    if (!ofRelay) throw new Error('nothing was measured');
    const [three, none, server] = ofServices;
    return [
      plainly('the bare relay, events/s', thousands(ofRelay.eventsPerSecond)),
      ...figuresOf('on SQLite', three, ofRelay, { share: 0.38, mostMicroseconds: 160 }),
      ...figuresOf('on SQLite with no steps', none, ofRelay, { share: 0.45 }),
      ...figuresOf('on PostgreSQL', server, ofRelay, { share: 0.25 }),
      ...sqliteFootprint(withSteps.sluice.directory, 'on SQLite'),
      ...(await postgresFootprint(postgres, databaseUrl, 'on PostgreSQL')),
    ];
  } finally {
    for (const each of started) await each.stop();
    await relay.stop();
    await relayed.stop();
    await postgres.remove();
  }
}

function figuresOf(
  where: string,
  of: Sustained | undefined,
  relay: Sustained,
  wanted: { readonly share: number; readonly mostMicroseconds?: number },
): Figure[] {
  if (!of?.spent) throw new Error('nothing was measured');
  return [
    atLeast(
      `${where}, over the bare relay`,
      of.eventsPerSecond / relay.eventsPerSecond,
      wanted.share,
      outOf(of.eventsPerSecond, relay.eventsPerSecond, 'events/s'),
    ),
    ...costFigures(where, of.spent, wanted),
  ];
}

interface Routed {
  readonly sluice: MeasuredSluice;
  readonly receiver: Measured;
  stop(): Promise<void>;
}

/** A service and a receiver of its own that it sends everything to. */
export async function startRouted(
  route: Route,
  options: { readonly databaseUrl?: string; readonly cores?: number } = {},
): Promise<Routed> {
  const receiver = await startReceiver();
  const sluice = await startSluice(options);
  await routeTo(sluice, receiver, route);
  return {
    sluice,
    receiver,
    async stop() {
      await sluice.stop();
      await receiver.stop();
    },
  };
}

export const contenderOf = ({ sluice: { url, apiKey }, receiver }: Routed): Contender => ({
  url,
  apiKey,
  receiver,
  meter: null,
});

async function besideOneThatHangs(): Promise<Figure> {
  const quiet = await startRouted({ steps: THREE_STEPS });
  const troubled = await startRouted({ steps: THREE_STEPS, paths: ['/hook', '/hang'] });
  try {
    const [alone, beside] = await sustainInTurns([contenderOf(quiet), contenderOf(troubled)], ROUNDS);
    if (!alone || !beside) throw new Error('nothing was measured');
    return atLeast(
      'a healthy destination beside one that hangs, over its rate alone',
      beside.eventsPerSecond / alone.eventsPerSecond,
      0.9,
      outOf(beside.eventsPerSecond, alone.eventsPerSecond, 'events/s'),
    );
  } finally {
    await quiet.stop();
    await troubled.stop();
  }
}
