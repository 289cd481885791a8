import { afterAll, beforeAll, expect, test } from 'bun:test';
import { aDestination } from '../../../test/contract/storage/delivery-samples.ts';
import { newFolder } from '../../../test/support/folder.ts';
import { seedOrganisation } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { LISTENER_KIND } from '../../core/kinds/listeners.ts';
import type { ConfigurationStore } from '../../core/stores/configuration.ts';
import type { StorageEngine } from '../../core/stores/engine.ts';
import { openSqlite } from '../../storage/sqlite/engine.ts';
import { createListeners } from './access.ts';
import { createListenerConnections } from './connections.ts';
import { newListenerToken } from './token.ts';

type Store = Pick<ConfigurationStore, 'beginListening' | 'endListening' | 'findDestination'>;

let engine: StorageEngine;
let orgId: string;
beforeAll(async () => {
  engine = await openSqlite({
    directory: newFolder(),
    onFatal(reason) {
      throw new Error(reason);
    },
  });
  orgId = (await seedOrganisation(engine)).orgId;
});
afterAll(() => engine.close());

async function newListeners(change: (store: Store) => Partial<Store> = () => ({})) {
  const destination = aDestination(orgId, { kind: LISTENER_KIND });
  await engine.configuration.createDestination(destination);
  const { id } = destination;
  const tokens = [newListenerToken({ orgId, id })];
  const connections = createListenerConnections();
  let now = 1_000_000;
  let claims = 0;
  const store: Store = {
    beginListening: (...given) => engine.configuration.beginListening(...given),
    endListening: (...given) => engine.configuration.endListening(...given),
    findDestination: (...given) => engine.configuration.findDestination(...given),
  };
  const listeners = createListeners({
    connections,
    configuration: { ...store, ...change(store) },
    tokensOf: () => tokens,
    newToken: () => `node ${++claims}`,
    delivers: true,
    clock: { now: () => now },
    onConnected() {},
    onError(error) {
      throw error;
    },
  });
  return {
    id,
    tokens,
    listeners,
    connect: async () => readerOf(await listeners.connect(tokens[0] ?? '', 'http://localhost')),
    claimed: async () => (await engine.configuration.findDestination(orgId, id))?.listenerToken,
    held: () => listeners.heldTokens(),
    recheck: () => listeners.invalidate({ organisationId: orgId, what: 'destinations', id }),
    wait(ms: number) {
      now += ms;
    },
  };
}

/** Everything until the end, as it was said. */
const readerOf = (stream: ReadableStream<Uint8Array>) => () => new Response(stream).text();

test('connects to one destination are limited, and say when to come again', async () => {
  const { connect, listeners, wait } = await newListeners();
  for (let n = 0; n < 5; n++) await connect();
  const refused = await connect().catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'rate_limited', status: 429, retryAfter: 6 });
  wait(6_000);
  await connect();
  expect(await connect().catch((error: unknown) => error)).toMatchObject({ code: 'rate_limited' });
  listeners.close();
});

test('a claim that was freed is no refusal: the command may connect again', async () => {
  const { connect, id, recheck } = await newListeners();
  const read = await connect();
  await engine.configuration.endListening(orgId, id, 'node 1');
  recheck();
  expect(await read()).toContain('"final":false');
});

test('a claim that another has, or a token that holds no more, is a refusal', async () => {
  const taken = await newListeners();
  const read = await taken.connect();
  await engine.configuration.beginListening(orgId, taken.id, 'another', 1);
  taken.recheck();
  expect(await read()).toContain('"final":true');

  const rotated = await newListeners();
  const readOld = await rotated.connect();
  rotated.tokens.length = 0;
  await engine.configuration.endListening(orgId, rotated.id, 'node 1');
  rotated.recheck();
  expect(await readOld()).toContain('"final":true');
});

test('a begin that storage carries out late does not take the place of the connection that is open', async () => {
  const late = Promise.withResolvers<void>();
  let begun = 0;
  const { connect, claimed, held, listeners } = await newListeners(store => ({
    async beginListening(...given) {
      if (begun++ === 0) await late.promise;
      return store.beginListening(...given);
    },
  }));
  const first = connect();
  await until(() => held().includes('node 1'), 'The first should be open.');
  const second = connect();
  await until(() => held().includes('node 2'), 'The second should be open.');
  late.resolve();
  await Promise.all([first, second]);
  expect(held()).toEqual(['node 2']);
  expect(await claimed()).toBe('node 2');
  listeners.close();
});

test('a connection that ended while it began leaves no claim', async () => {
  const late = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const { connect, claimed, listeners } = await newListeners(store => ({
    async beginListening(...given) {
      reached.resolve();
      await late.promise;
      return store.beginListening(...given);
    },
  }));
  const connecting = connect();
  await reached.promise;
  listeners.dropClaims();
  // Its end is written before its beginning.
  await engine.configuration.findDestination(orgId, 'none');
  late.resolve();
  expect(await (await connecting)()).toContain('"final":false');
  expect(await claimed()).toBeNull();
});
