import { expect, test } from 'bun:test';
import type { ListenDelivery } from '@sluice/contract/listen';
import { createListenerConnections } from './connections.ts';

const MEBIBYTE = 1024 * 1024;
const isStillWanted = async () => true;
const result = { duration_ms: 1, outcome: { status: 200, body: '', retry_after: null } };

const open = (connections: ReturnType<typeof createListenerConnections>, id: string) =>
  connections.open({
    id,
    address: { orgId: 'org_1', id: 'dst_1' },
    name: 'Machine',
    claim: id,
    token: 'lsn_1',
    forward: 'http://localhost',
    onEnd() {},
  });

const aDelivery = (id: string, body: string): ListenDelivery => ({
  id,
  attempt: 1,
  event: { id: 'evt_1', type: 'order.paid' },
  headers: {},
  body,
  timeout_ms: 60_000,
});

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string> {
  return await new Response(stream).text();
}

test('a connection that ends keeps nothing of what was not read but the reason', async () => {
  const connections = createListenerConnections();
  const first = open(connections, 'con_1');
  const sent = first.send(aDelivery('dlv_1', 'x'.repeat(MEBIBYTE)), isStillWanted);
  await Promise.resolve();
  const second = open(connections, 'con_2');
  expect(await sent).toEqual({ kind: 'lost' });
  const left = await readAll(first.stream);
  expect(left.length).toBeLessThan(1_000);
  expect(left).toContain('event: end\ndata: {"message":"Another listener has connected');
  second.end({ message: '', final: false });
});

test('a delivery that was not read cannot be answered, and gives no room to the next', async () => {
  const connections = createListenerConnections();
  const connection = open(connections, 'con_1');
  const sends = ['dlv_1', 'dlv_2', 'dlv_3'].map(id =>
    connection.send(aDelivery(id, 'é'.repeat(2 * MEBIBYTE)), isStillWanted),
  );
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  expect(connection.answer({ connection: 'con_1', delivery: 'dlv_1', ...result })).toBe(false);

  const reader = connection.stream.getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await read()).toStartWith('event: ready\n');
  expect(await read()).toContain('"id":"dlv_1"');
  expect(await read()).toContain('"id":"dlv_2"');
  // Two of them are 8 MiB, which is all that may be under way.
  const third = read();
  expect(await Promise.race([third, 'nothing yet'])).toBe('nothing yet');
  expect(connection.answer({ connection: 'con_1', delivery: 'dlv_1', ...result })).toBe(true);
  expect((await sends[0])?.kind).toBe('answered');
  expect(await third).toContain('"id":"dlv_3"');
  connection.end({ message: 'over', final: false });
  expect(await read()).toContain('"over"');
  expect((await reader.read()).done).toBe(true);
});

test('a reader that goes away ends the connection', async () => {
  const connections = createListenerConnections();
  const connection = open(connections, 'con_1');
  const sent = connection.send(aDelivery('dlv_1', '{}'), isStillWanted);
  await connection.stream.cancel();
  expect(connections.find('dst_1')).toBeUndefined();
  expect((await sent).kind).not.toBe('answered');
});
