import { afterAll, beforeAll, expect, test } from 'bun:test';
import { threadMs } from '../../src/core/expressions/cel/budget.ts';
import type { AttemptResult } from '../../src/core/http/attempt.ts';
import { KEPT_RESPONSE_BYTES } from '../../src/core/http/outgoing.ts';
import type { Destination } from '../../src/delivery/destination.ts';
import { emailDestination } from '../../src/delivery/destinations/email.ts';
import { postgresDestination } from '../../src/delivery/destinations/postgres.ts';
import { webhookDestination } from '../../src/delivery/destinations/webhook.ts';
import { databaseThread, destinationDeps, prepareFrom, sampleDelivery } from '../support/delivery.ts';
import { guardedClient } from '../support/guarded-client.ts';
import { databaseAt, mailServerAt, webServerAt } from '../support/hostile/destinations.ts';
import type { HostileAddress } from '../support/hostile/receiver.ts';
import { type HostileReceivers, startHostileReceivers } from '../support/hostile/start.ts';
import { until } from '../support/until.ts';

const TIMEOUT_MS = 700;
/** For those that do take it in the end: a busy machine must not make it a failure. */
const PATIENT_TIMEOUT_MS = 30_000;
const LONGEST_MS = 15_000;
const LONGEST_STALL_MS = 1_500;
const MOST_GROWTH = 100 * 1024 * 1024;
const AT_ONCE = 8;

const databases = databaseThread();
let receivers: HostileReceivers;
let deps: ReturnType<typeof destinationDeps>;
beforeAll(async () => {
  receivers = await startHostileReceivers();
  const client = guardedClient({ ca: receivers.ca });
  deps = destinationDeps({ databases, client, ca: receivers.ca });
});
afterAll(async () => {
  databases.stop();
  await receivers.stop();
});

async function attempt(destination: Destination, timeoutMs = TIMEOUT_MS): Promise<AttemptResult> {
  const result = await destination.send(sampleDelivery({ timeoutMs }));
  await destination.close?.();
  return result;
}

/** What is wrong with a result, whoever it is of. */
function complaintsOf(result: AttemptResult, wanted: 'failed' | 'delivered' | 'either'): string[] {
  const { status, durationMs } = result;
  const response = result.response ?? '';
  const reason = result.outcome === 'failed' ? result.message : 'No reason is needed';
  return [
    wanted !== 'either' && result.outcome !== wanted && `was ${result.outcome}`,
    wanted !== 'delivered' && durationMs > LONGEST_MS && `took ${durationMs} ms`,
    Buffer.byteLength(response) > KEPT_RESPONSE_BYTES && `kept ${Buffer.byteLength(response)} bytes`,
    !(response + reason).isWellFormed() && 'kept half a character',
    (response + reason).includes('\0') && 'kept NUL',
    !/^[A-Z].{8,600}\.$/s.test(`${reason}.`) && `gave as reason: ${reason.slice(0, 700)}`,
    status !== null &&
      !(Number.isInteger(status) && status >= 100 && status <= 999) &&
      `had status ${status}`,
  ].filter(complaint => complaint !== false);
}

/** Sends to all of them, some at once, and says what went wrong at which. */
async function complaintsAbout(
  addresses: Readonly<Record<string, HostileAddress>>,
  prepare: (address: HostileAddress) => Destination,
): Promise<string[]> {
  const waiting = Object.entries(addresses);
  const complaints: string[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [what, address] = next;
      const { outcome = 'failed' } = address;
      const result = await attempt(
        prepare(address),
        outcome === 'delivered' ? PATIENT_TIMEOUT_MS : TIMEOUT_MS,
      );
      for (const complaint of complaintsOf(result, outcome)) complaints.push(`${what}: ${complaint}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return complaints;
}

/** The longest that whoever else uses this process had to wait, and the most memory that it took. */
function watch() {
  const before = process.memoryUsage.rss();
  let [mostBytes, last, longestMs] = [before, threadMs(), 0];
  const timer = setInterval(() => {
    const spent = threadMs();
    longestMs = Math.max(longestMs, spent - last);
    last = spent;
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
  }, 5);
  return {
    stop() {
      clearInterval(timer);
      return { longestMs, grownBytes: mostBytes - before };
    },
  };
}

async function expectBorne(
  addresses: Readonly<Record<string, HostileAddress>>,
  prepare: (address: HostileAddress) => Destination,
): Promise<void> {
  // What the first of a kind loads is not what is looked for.
  const [first] = Object.values(addresses);
  if (first) await attempt(prepare(first));
  const watching = watch();
  expect(await complaintsAbout(addresses, prepare)).toEqual([]);
  const { longestMs, grownBytes } = watching.stop();
  expect(longestMs).toBeLessThan(LONGEST_STALL_MS);
  expect(grownBytes).toBeLessThan(MOST_GROWTH);
}

const database = ({ port }: HostileAddress) => prepareFrom(postgresDestination, databaseAt(port), deps);
const mailServer = (address: HostileAddress) => prepareFrom(emailDestination, mailServerAt(address), deps);
const webServer = (address: HostileAddress) => prepareFrom(webhookDestination, webServerAt(address), deps);

test('there are more than 160 of them', () => {
  expect(Object.keys(receivers.databases).length).toBeGreaterThan(60);
  expect(Object.keys(receivers.mailServers).length).toBeGreaterThan(80);
  expect(Object.keys(receivers.webServers).length).toBeGreaterThan(80);
});

test('a database that answers anything whatever fails its own delivery in time, and neither holds up others nor fills memory', () =>
  expectBorne(receivers.databases, database));

test('so does a mail server', () => expectBorne(receivers.mailServers, mailServer));

test('so does a receiver of HTTP', () => expectBorne(receivers.webServers, webServer));

test('a mail server that resets after any number of bytes fails its delivery, until it has said yes', async () => {
  const outcomes: string[] = [];
  do
    outcomes.push(
      (await attempt(mailServer({ ...receivers.resettingMailServer, config: { security: 'none' } }))).outcome,
    );
  while (outcomes.at(-1) === 'failed' && outcomes.length < 1_000);
  expect(outcomes.length).toBeGreaterThan(100);
  expect(outcomes.at(-1)).toBe('delivered');
});

test('so does a receiver of HTTP that resets', async () => {
  const outcomes: string[] = [];
  do outcomes.push((await attempt(webServer(receivers.resettingWebServer))).outcome);
  while (outcomes.at(-1) === 'failed' && outcomes.length < 1_000);
  expect(outcomes.length).toBeGreaterThan(40);
  expect(outcomes.at(-1)).toBe('delivered');
});

test('no connection to any of them is left open', async () => {
  // Those to well-behaved receivers are kept for the next delivery, and closed when none comes for a minute.
  deps.client.close();
  await until(async () => (await receivers.open()).length === 0, 'Some were left open.').catch(async () =>
    expect(await receivers.open()).toEqual([]),
  );
});
