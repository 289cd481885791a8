import { afterAll, describe, expect, test } from 'bun:test';
import pg from 'pg';
import { NoLongerWanted } from '../../../src/core/http/outgoing.ts';
import type { DestinationKind } from '../../../src/delivery/destination.ts';
import { discordDestination } from '../../../src/delivery/destinations/discord.ts';
import { emailDestination } from '../../../src/delivery/destinations/email.ts';
import { notionDestination } from '../../../src/delivery/destinations/notion.ts';
import { defaultTableDdl } from '../../../src/delivery/destinations/postgres/mapping.ts';
import { postgresDestination } from '../../../src/delivery/destinations/postgres.ts';
import { slackDestination } from '../../../src/delivery/destinations/slack.ts';
import { telegramDestination } from '../../../src/delivery/destinations/telegram.ts';
import { webhookDestination } from '../../../src/delivery/destinations/webhook.ts';
import { destinationDeps, prepareFrom, sampleDelivery } from '../../support/delivery.ts';
import { guardedClient } from '../../support/guarded-client.ts';
import { freshDatabase } from '../../support/postgres.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startMailServer } from '../../support/smtp.ts';
import { createAuthority } from '../../support/tls.ts';
import { until } from '../../support/until.ts';

/** A confirmed pause or withdrawal holds: whatever is waited for on the way, what came meanwhile is asked for after it. */

const receiver = startReceiver();
afterAll(() => receiver.stop());
const url = `http://slow.test:${receiver.port}`;

const overHttp: readonly (readonly [DestinationKind, object])[] = [
  [webhookDestination, { url }],
  [slackDestination, { url }],
  [discordDestination, { url }],
  [telegramDestination, { bot_token: '1:a', chat_id: '1', base_url: url }],
  [notionDestination, { token: 't', database_id: '0'.repeat(32), base_url: url }],
];

const outcomeOf = (sending: Promise<unknown>) => sending.catch((error: unknown) => error);

describe('what is withdrawn', () => {
  test.each(overHttp.map(([kind, config]) => [kind.name, kind, config] as const))(
    'while a name is looked up is not sent by %s',
    async (_name, kind, config) => {
      const { promise: found, resolve: find } = Promise.withResolvers<string[]>();
      let isAsked = false;
      const client = guardedClient({
        lookup: () => {
          isAsked = true;
          return found;
        },
      });
      let isWanted = true;
      const before = receiver.requests.length;
      const destination = prepareFrom(kind, config, destinationDeps({ client }));
      const sending = outcomeOf(
        destination.send(sampleDelivery({ timeoutMs: 30_000, isStillWanted: async () => isWanted })),
      );
      await until(() => isAsked, 'Nobody asked for the name.');
      isWanted = false;
      find(['127.0.0.1']);
      expect(await sending).toBeInstanceOf(NoLongerWanted);
      expect(receiver.requests).toHaveLength(before);
      isWanted = true;
      await destination.send(sampleDelivery({ isStillWanted: async () => isWanted }));
      expect(receiver.requests).toHaveLength(before + 1);
      client.close();
    },
  );

  test('while the first address of a name is tried is not sent to the second', async () => {
    const client = guardedClient({ lookup: async () => ['127.0.0.3', '127.0.0.1'] });
    const destination = prepareFrom(webhookDestination, { url }, destinationDeps({ client }));
    const answers = [true, false];
    const isStillWanted = async () => answers.shift() ?? true;
    const before = receiver.requests.length;
    expect(await outcomeOf(destination.send(sampleDelivery({ isStillWanted })))).toBeInstanceOf(
      NoLongerWanted,
    );
    expect(receiver.requests).toHaveLength(before);
    client.close();
  });

  test('while a mail server is talked to is not mailed', async () => {
    const authority = createAuthority();
    let isWanted = true;
    const server = await startMailServer({
      certificate: authority.certify(['mail.test']),
      refuse: () => {
        isWanted = false;
        return null;
      },
    });
    const config = {
      host: 'mail.test',
      port: server.port,
      security: 'starttls',
      from: 'sluice@example.com',
      to: ['team@example.com'],
    };
    const destination = prepareFrom(emailDestination, config, destinationDeps({ ca: authority.ca }));
    const delivery = sampleDelivery({ timeoutMs: 30_000, isStillWanted: async () => isWanted });
    expect(await outcomeOf(destination.send(delivery))).toBeInstanceOf(NoLongerWanted);
    // It ends once every session has, so that nothing is still on its way.
    await server.stop();
    expect([server.sessions(), server.mails]).toEqual([1, []]);
  });

  test('while all connections to a database are busy is not written', async () => {
    const database = await freshDatabase();
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    await admin.query(defaultTableDdl('events'));
    const config = { connection_string: database.url, table: 'events' };
    const destination = prepareFrom(postgresDestination, config);
    let isWanted = true;
    let asked = 0;
    const isStillWanted = async () => {
      asked++;
      return isWanted;
    };
    const sampleEvent = sampleDelivery().event;
    const send = (n: number) =>
      outcomeOf(
        destination.send(
          sampleDelivery({ event: { ...sampleEvent, id: `evt_${n}` }, timeoutMs: 30_000, isStillWanted }),
        ),
      );
    expect(await send(0)).toMatchObject({ outcome: 'delivered' });
    asked = 0;
    expect(await send(0)).toMatchObject({ outcome: 'delivered' });
    const askedBeforeItIsHandedOver = asked;
    await admin.query('BEGIN; LOCK TABLE events IN EXCLUSIVE MODE');
    const busy = [1, 2, 3, 4, 5].map(n => send(n));
    await until(async () => {
      const { rows } =
        await admin.query(`SELECT count(*)::int AS n FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
         WHERE NOT granted AND datname = current_database()`);
      return rows[0]?.n === 5;
    }, 'The connections are not busy.');
    asked = 0;
    const waiting = send(6);
    await until(() => asked === askedBeforeItIsHandedOver, 'It was not handed over.');
    // What is handed over is taken in order: once this one was refused, the other waits for a connection.
    const elsewhere = { ...config, connection_string: database.url.replace(/[^/]+$/, 'there_is_none') };
    const refused = prepareFrom(postgresDestination, elsewhere);
    expect(await outcomeOf(refused.send(sampleDelivery()))).toMatchObject({ outcome: 'failed' });
    await refused.close?.();
    isWanted = false;
    await admin.query('COMMIT');
    expect(await Promise.all(busy)).toMatchObject(Array(5).fill({ outcome: 'delivered' }));
    expect(await waiting).toBeInstanceOf(NoLongerWanted);
    // The connection that it had is as good as before.
    isWanted = true;
    expect(await send(7)).toMatchObject({ outcome: 'delivered' });
    expect((await admin.query('SELECT * FROM events')).rows).toHaveLength(7);
    await destination.close?.();
    await admin.end();
    await database.drop();
  });
});
