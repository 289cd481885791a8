import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { ingestWith, storedEvents } from '../support/endpoints.ts';
import { createLoad, expectPromisesKept } from '../support/load.ts';
import { type ServerProcess, startProcess, tampering } from '../support/process.ts';
import { openSocket, readAnswer } from '../support/raw-http.ts';
import { until } from '../support/until.ts';
import { prepareDirectory } from './prepare.ts';

/** The promise is ten seconds, on a machine that does not stall; what is held up stays so for thirty. */
const PROMISED_MS = 25_000;

/** Asks it to stop, and answers how long that took. */
async function stopped(server: ServerProcess): Promise<number> {
  const asked = performance.now();
  server.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  return performance.now() - asked;
}

const head = (apiKey: string, length: number) =>
  `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Length: ${length}\r\n\r\n`;

test('what waits for the disk when the signal comes is stored and answered', async () => {
  const { directory, seed, reopen } = await prepareDirectory();
  // After those of a start every flush takes half a second, so that requests pile up behind it.
  const slow = tampering('fsync:delay_enter=500000:when=15+');
  const server = await startProcess({ directory, under: slow });
  let sent = 0;
  const send = () => ingestWith(server.url, seed.apiKey)({ events: [{ type: `n${sent++}` }] });
  for (let began = performance.now(); performance.now() - began < 500; await send())
    began = performance.now();

  const first = send();
  const rest = Array.from({ length: 30 }, send);
  await first;
  expect(await stopped(server)).toBeLessThan(PROMISED_MS);
  expect((await Promise.all(rest)).map(({ status }) => status)).toEqual(Array(30).fill(202));

  const engine = await reopen();
  expect(await storedEvents(engine, seed.orgId)).toHaveLength(sent);
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('under load: exit 0 in time, and every promise is kept', async () => {
  const { directory, seed, source, reopen } = await prepareDirectory();
  const load = createLoad(seed, source);
  const server = await startProcess({ directory });
  const { reached, stop } = load.run(server.url, 100);
  await reached;
  expect(await stopped(server)).toBeLessThan(PROMISED_MS);
  await stop();
  const again = await startProcess({ directory });
  await load.retryUnanswered(again.url);
  expect(await stopped(again)).toBeLessThan(PROMISED_MS);
  const engine = await reopen();
  await expectPromisesKept(engine, seed.orgId, load.requests);
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('a sender who never finishes his body, and idle connections, hold nothing up', async () => {
  const { directory, seed, reopen } = await prepareDirectory();
  const server = await startProcess({ directory });
  const idle = await openSocket(server.port);
  const halfHead = await openSocket(server.port);
  halfHead.write('POST /v1/ingest HTTP/1.1\r\nHost:');
  const halfBody = await openSocket(server.port);
  halfBody.write(`${head(seed.apiKey, 1_000)}{"events":[{"type":"half`);
  const finished = await openSocket(server.port);
  const body = '{"events":[{"type":"whole"}]}';
  finished.write(head(seed.apiKey, body.length) + body);
  expect((await readAnswer(finished)).status).toBe(202);

  expect(await stopped(server)).toBeLessThan(PROMISED_MS);
  for (const socket of [idle, halfHead, halfBody, finished]) socket.destroy();
  const engine = await reopen();
  expect((await storedEvents(engine, seed.orgId)).map(({ type }) => type)).toEqual(['whole']);
  await engine.close();
  rmSync(directory, { recursive: true });
});

test('a request that comes while it stops is answered to retry, or not let in; it is never left hanging', async () => {
  const { directory, seed } = await prepareDirectory();
  const server = await startProcess({ directory });
  // Its half-sent body keeps the process from ending at once.
  const slow = await openSocket(server.port);
  slow.write(`${head(seed.apiKey, 1_000)}{`);
  const known = await openSocket(server.port);
  const closed = new Promise(resolve => known.on('close', () => resolve('closed')).on('error', () => {}));
  const body = '{"events":[{"type":"a"}]}';
  known.write(head(seed.apiKey, body.length) + body);
  expect((await readAnswer(known)).status).toBe(202);
  known.removeAllListeners('data');

  server.kill('SIGTERM');
  await until(() => server.output().includes('Stopping'), 'it did not begin to stop');
  const late = readAnswer(known).then(
    ({ status }) => status,
    () => 'closed',
  );
  known.write(head(seed.apiKey, body.length) + body);
  expect(await Promise.race([late, closed])).toBeOneOf([503, 'closed']);
  expect(await server.ended).toBe(0);
  slow.destroy();
  known.destroy();
  rmSync(directory, { recursive: true });
});
