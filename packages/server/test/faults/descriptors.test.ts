import { expect, test } from 'bun:test';
import { readdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { acceptedIds, ingestWith } from '../support/endpoints.ts';
import { startProcess } from '../support/process.ts';
import { openSocket, readAnswer } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { prepareDirectory } from './prepare.ts';

const body = '{"events":[{"type":"a"}]}';
const request = (apiKey: string, sent = body) =>
  `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Length: ${body.length}\r\n\r\n${sent}`;

/** Senders who stop in the middle of the body, or of the head. */
const openSlowSockets = (port: number, apiKey: string, count: number): Promise<Socket[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const socket = await openSocket(port);
      socket.on('error', () => {});
      socket.write(n % 2 === 0 ? request(apiKey, '{') : 'POST /v1/ingest HTTP/1.1\r\nHos');
      return socket;
    }),
  );

async function untilAnswered<T>(send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ECONNRESET') throw error;
    }
  }
}

test('out of descriptors: whoever is connected is served, and the rest as soon as there is room', async () => {
  const { directory, seed } = await prepareDirectory();
  const limit = 64;
  const server = await startProcess({ directory, under: ['prlimit', `--nofile=${limit}:${limit}`] });
  const descriptors = () => readdirSync(`/proc/${server.pid}/fd`).length;
  const connected = await openSocket(server.port);
  const ask = async () => {
    connected.removeAllListeners('data');
    connected.write(request(seed.apiKey));
    return (await readAnswer(connected)).status;
  };
  // The kernel hands a connection over with its first bytes, not before.
  expect(await ask()).toBe(202);

  const slow = await openSlowSockets(server.port, seed.apiKey, 100);
  await until(() => descriptors() === limit, 'the descriptors were never used up');
  expect(await ask()).toBe(202);

  // Connects, since the kernel queues it, and waits. Now and then the runtime hangs up on it: a sender comes again then.
  const queued = untilAnswered(() => ingestWith(server.url, seed.apiKey)(body));
  for (const socket of slow) socket.destroy();
  acceptedIds(await queued);
  await until(() => descriptors() < limit / 2, 'the descriptors were not given back');
  connected.destroy();
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  // That senders went away is not worth a line.
  expect(server.output()).not.toContain('"level":"error"');
  rmSync(directory, { recursive: true });
});

test('500 slow sockets keep nobody else waiting', async () => {
  const { directory, seed } = await prepareDirectory();
  const server = await startProcess({ directory });
  const slow = await openSlowSockets(server.port, seed.apiKey, 500);
  for (let n = 0; n < 20; n++) acceptedIds(await ingestWith(server.url, seed.apiKey)(body));

  // One of them goes on after all.
  const [patient] = slow;
  patient?.write(body.slice(1));
  if (patient) expect((await readAnswer(patient)).status).toBe(202);
  for (const socket of slow) socket.destroy();
  acceptedIds(await ingestWith(server.url, seed.apiKey)(body));
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  rmSync(directory, { recursive: true });
});
