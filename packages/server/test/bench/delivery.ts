import { startPostgres } from '../support/postgres.ts';
import { costFigures } from './cost.ts';
import { atLeast, type Figure, outOf, plainly, type Section, thousands } from './figure.ts';
import { postgresFootprint, sqliteFootprint } from './footprint.ts';
import { meterOnPostgres } from './meter.ts';
import { CONCURRENCY, THREE_STEPS } from './route.ts';
import { contenderOf, startRouted } from './routed.ts';
import { startReceiver, startRelay } from './servers.ts';
import { type Sustained, sustainInTurns } from './sustained.ts';

const ROUNDS = 3;

/** The whole way: accepted, three steps, and a signed webhook that the receiver answers with 200. */
export const deliverySection: Section = {
  name: 'delivery',
  about: `From the endpoint through transform, filter and redact to a signed webhook, sustained, 100 events a request, ${CONCURRENCY} deliveries at once, against a bare relay`,
  minutes: 2.5,
  run: measureAgainstRelay,
};

async function measureAgainstRelay(): Promise<Figure[]> {
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
        contenderOf(withSteps),
        contenderOf(without),
        contenderOf(onPostgres, meterOnPostgres(onPostgres.sluice, postgres, databaseUrl)),
      ],
      ROUNDS,
    );
    const [three, none, server] = ofServices;
    if (!ofRelay || !three || !none || !server) throw new Error('nothing was measured');
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
  of: Sustained,
  relay: Sustained,
  wanted: { readonly share: number; readonly mostMicroseconds?: number },
): Figure[] {
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
