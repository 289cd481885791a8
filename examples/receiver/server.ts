import { createServer } from 'node:http';
import { expressHandler, type ReceivedEvent } from '@sluice/sdk/webhooks';

/** A receiver of deliveries: verified, and each event dealt with once. */
const { SECRET: secret = '', PORT: port = '3001' } = process.env;

const MOST_REMEMBERED = 10_000;
/** In a real service this is a unique column of your database, written with whatever the event leads to. */
const seen = new Set<string>();

function receive({ eventId, type, payload }: ReceivedEvent): void {
  if (seen.has(eventId)) return;
  seen.add(eventId);
  const [oldest] = seen;
  if (seen.size > MOST_REMEMBERED && oldest !== undefined) seen.delete(oldest);
  console.log(`${type} ${JSON.stringify(payload)}`);
}

createServer(expressHandler({ secret }, receive)).listen(Number(port), () =>
  console.log(`Listening at http://localhost:${port}`),
);
