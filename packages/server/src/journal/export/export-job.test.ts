import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { aDestination, routedTo } from '../../../test/contract/storage/delivery-samples.ts';
import { anAuditEntry, idAt } from '../../../test/contract/storage/samples.ts';
import { everyStore } from '../../../test/support/every-store.ts';
import { temporaryDirectory } from '../../../test/support/service.ts';
import { createExportOpener } from '../../compose/exports.ts';
import { hours } from '../../core/clock.ts';
import { idFloor, newId } from '../../core/ids.ts';
import type { DeadLetterActions } from '../../core/jobs/dead-letters.ts';
import type { ExportActions, ExportRequest } from '../../core/jobs/export.ts';
import { AUDIT_EXPORT_JOB, EXPORT_JOB, LETTERS_EXPORT_JOB } from '../../core/jobs/export-job.ts';
import { type JobOrigin, newJob } from '../../core/jobs/new-job.ts';
import type { StorageEngine } from '../../core/stores/engine.ts';
import type { Job, JobStore } from '../../core/stores/jobs.ts';
import type { EventFilter } from '../../core/stores/journal.ts';
import { createDeadLetterActions } from '../../delivery/dead-letters/actions.ts';
import { openStorage } from '../../storage/open.ts';
import { createExportActions } from './actions.ts';
import { createExportJobs } from './export-job.ts';

/** Exports as jobs, on real storage, with a clock that the test moves. */

let directory: string;
let engine: StorageEngine;
let exports: ExportActions;
let deadLetters: DeadLetterActions;
/** Each test has an organisation of its own, and leaves no job open. */
let org: string;
const START = Date.UTC(2026, 4, 1);
let now: number;
const clock = { now: () => now };

beforeAll(async () => {
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  deadLetters = createDeadLetterActions({ ...engine, clock, onDeliveriesDue: () => {} });
});
beforeEach(() => {
  now = START;
  org = newId('org');
  exports = createExportActions({ jobs: engine.jobs, journal: engine.journal, clock });
});
afterAll(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const origin: JobOrigin = {
  by: 'ada@example.com',
  record: ({ id, orgId, createdAt }) => ({
    id: idAt('aud', createdAt),
    orgId,
    at: createdAt,
    actor: 'ada@example.com',
    address: null,
    action: 'events.exported',
    target: id,
    details: {},
  }),
};

let made = 0;
const store = (payloads: readonly string[], type = 'order.paid') =>
  engine.journal.append([
    {
      orgId: org,
      sourceId: null,
      receivedAt: now,
      idempotency: null,
      events: payloads.map(payload => ({
        id: idFloor('evt', now).slice(0, -10) + String(++made).padStart(10, '0'),
        type,
        icon: null,
        payload,
        senderId: null,
        entityKind: null,
        entityExternalId: null,
        happenedAt: now,
      })),
    },
  ]);

let tokens = 0;
const jobsOf = (
  given: {
    jobs?: Partial<JobStore>;
    deadLetters?: DeadLetterActions;
    mostBytes?: number;
    isStopping?: () => boolean;
  } = {},
) =>
  createExportJobs({
    jobs: { ...engine.jobs, ...given.jobs },
    open: createExportOpener({ ...engine, deadLetters: given.deadLetters ?? deadLetters, clock }),
    clock,
    newToken: () => `node ${++tokens}`,
    pause: async () => {},
    isStopping: given.isStopping ?? (() => false),
    ...(given.mostBytes === undefined ? {} : { mostBytes: given.mostBytes }),
  });

const start = (filter: EventFilter = {}, format: 'csv' | 'ndjson' = 'ndjson'): Promise<string> =>
  startOf({ kind: EXPORT_JOB, filter, format });
async function startOf(request: ExportRequest): Promise<string> {
  return (await exports.start(org, request, origin)).id;
}
async function find(id: string): Promise<Job> {
  const job = await engine.jobs.findJob(org, id);
  if (job === null) throw new Error('The job is gone.');
  return job;
}
async function fileOf(id: string): Promise<string | null> {
  const file = await exports.findFile(await find(id));
  return file && (await Array.fromAsync(file.read())).join('');
}
const refusalOf = async (work: Promise<unknown> | undefined): Promise<unknown> => {
  try {
    return { answered: await work };
  } catch (error) {
    return error;
  }
};
const payloadsIn = (file: string | null): unknown[] =>
  (file ?? '')
    .split('\n')
    .filter(line => line !== '')
    .map(line => (JSON.parse(line) as { payload: unknown }).payload);

test('a file holds every event that matches, the newest first, of what had been accepted when it was asked for', async () => {
  await store(Array.from({ length: 1_200 }, (_, n) => `{"n":${n}}`));
  await store(['{"other":true}'], 'page.viewed');
  const id = await start({ type: 'order.paid' });
  now += 1_000;
  await store(['{"late":true}']);
  expect(await fileOf(id)).toBeNull();
  await jobsOf().work();
  expect(await find(id)).toMatchObject({ state: 'done', total: 1_200, done: 1_200, failed: 0, notes: [] });
  expect(payloadsIn(await fileOf(id))).toEqual(Array.from({ length: 1_200 }, (_, n) => ({ n: 1_199 - n })));
  expect((await engine.configuration.listAudit(org, { limit: 10, below: null }))[0]?.target).toBe(id);
});

test('killed between two slices it goes on where it was, and no piece is written twice', async () => {
  // Each has the size of a slice.
  const large = Array.from({ length: 4 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(1024 * 1024) }));
  await store(large);
  const id = await start();
  let slices = 0;
  // The first is written; of the second nobody hears again.
  const dying = jobsOf({
    jobs: {
      async advanceJob(...given) {
        if (++slices === 2) throw new Error('killed');
        return engine.jobs.advanceJob(...given);
      },
    },
  });
  expect(await refusalOf(dying.work())).toMatchObject({ message: 'killed' });
  expect(await find(id)).toMatchObject({ state: 'running', done: 1 });
  await jobsOf().work();
  expect((await find(id)).state).toBe('running');
  // Until its lease is over it might still be written.
  now += hours(1);
  await jobsOf().work();
  expect((await find(id)).state).toBe('done');
  expect(payloadsIn(await fileOf(id)).map(payload => (payload as { n: number }).n)).toEqual([3, 2, 1, 0]);
});

test('a file that is full says so, and where it ends', async () => {
  await store(Array.from({ length: 600 }, (_, n) => `{"n":${n}}`));
  const id = await start();
  await jobsOf({ mostBytes: 1_000 }).work();
  const job = await find(id);
  expect(job.state).toBe('done');
  expect(job.notes[0]).toContain('holds no events from before 2026-05-01T00:00:00');
  expect(payloadsIn(await fileOf(id))).toHaveLength(500);
});

test('where nothing matches the file is empty but for its heading', async () => {
  const [lines, table] = [await start({ type: 'none' }), await start({ type: 'none' }, 'csv')];
  await jobsOf().work();
  expect(await fileOf(lines)).toBe('');
  expect(await fileOf(table)).toStartWith('id,type,');
});

test('two are under way at once, and a third is refused until one has ended', async () => {
  await start();
  await start();
  expect(await refusalOf(start())).toMatchObject({ code: 'limit_reached' });
  await jobsOf().work();
  await start();
  await jobsOf().work();
});

test('one that is cancelled writes no more, and has no file', async () => {
  await store(['{}']);
  const id = await start();
  await engine.jobs.finishJob(org, id, 'cancelled', now);
  await jobsOf().work();
  expect(await fileOf(id)).toBeNull();
  expect(await engine.jobs.measureFile(org, id)).toBeNull();
});

test('a day after it has ended the file is gone', async () => {
  await store(['{}']);
  const id = await start();
  await jobsOf().work();
  now += hours(24) - 1;
  await jobsOf().prune();
  expect(await fileOf(id)).not.toBeNull();
  now += 1;
  expect(await fileOf(id)).toBeNull();
  now += 1;
  await jobsOf().prune();
  expect(await engine.jobs.measureFile(org, id)).toBeNull();
});

test('answered directly, two are under way at once, and one that is left counts no more', async () => {
  await store(Array.from({ length: 600 }, (_, n) => `{"n":${n}}`));
  const [first, second, third] = [0, 1, 2].map(() => exports.stream(org, {}, 'ndjson'));
  await first?.next();
  await second?.next();
  expect(await refusalOf(third?.next())).toMatchObject({ code: 'limit_reached' });
  // Another organisation's are its own.
  await exports.stream('org_2', {}, 'csv').next();
  await first?.return(undefined);
  expect(payloadsIn((await Array.fromAsync(exports.stream(org, {}, 'ndjson'))).join(''))).toHaveLength(600);
  // Nobody says that they are gone where a connection is cut.
  const left = exports.stream(org, {}, 'ndjson');
  await left.next();
  expect(await refusalOf(exports.stream(org, {}, 'ndjson').next())).toMatchObject({ code: 'limit_reached' });
  now += 61_000;
  await exports.stream(org, {}, 'ndjson').next();
});

/** Deliveries that are dead, of events with these payloads. */
async function dead(payloads: readonly string[]): Promise<string[]> {
  const storage = everyStore(engine);
  const { id } = aDestination(org);
  await storage.createDestination(aDestination(org, { id }));
  for (const payload of payloads) await routedTo(storage, org, [id], { payload, at: now });
  const claim = { orgId: org, destinationId: id, limit: payloads.length, bytes: 1 << 28 };
  const claimed = await storage.claimDeliveries([claim], { token: 't', now });
  const facts = { n: 1, at: now, durationMs: 1, status: 500, message: 'No.', response: '' };
  const attempt = { ...facts, code: 'bad_status' as const, request: '{"target":"","headers":{},"body":""}' };
  const next = { state: 'dead' as const, code: 'bad_status' as const };
  await storage.recordAttempts(
    claimed.map(delivery => ({ orgId: org, deliveryId: delivery.id, token: 't', attempt, next })),
  );
  return claimed.map(delivery => delivery.id);
}
const everyLetter = { filter: {}, deliveries: true, events: true };

test('a file of dead letters holds each once with its payload, also when it was killed between two slices', async () => {
  // Two are more than a slice.
  const text = 'x'.repeat(600 * 1024);
  const ids = await dead([0, 1, 2, 3].map(n => JSON.stringify({ n, text })));
  const id = await startOf({ kind: LETTERS_EXPORT_JOB, selection: everyLetter, format: 'ndjson' });
  let slices = 0;
  const dying = jobsOf({
    jobs: {
      async advanceJob(...given) {
        if (++slices === 2) throw new Error('killed');
        return engine.jobs.advanceJob(...given);
      },
    },
  });
  expect(await refusalOf(dying.work())).toMatchObject({ message: 'killed' });
  expect(await find(id)).toMatchObject({ state: 'running', done: 2 });
  now += hours(1);
  await jobsOf().work();
  expect(await find(id)).toMatchObject({ state: 'done', done: 4, total: 4, notes: [] });
  const file = await fileOf(id);
  const lines = (file ?? '').trimEnd().split('\n');
  expect(lines.map(line => (JSON.parse(line) as { id: string }).id)).toEqual(ids.toSorted().reverse());
  expect(payloadsIn(file).map(payload => (payload as { text: string }).text)).toEqual(Array(4).fill(text));
});

test('a file of dead letters that is full says so, and where it ends', async () => {
  await dead([1, 2, 3].map(n => JSON.stringify({ n, text: 'x'.repeat(1024 * 1024) })));
  const id = await startOf({ kind: LETTERS_EXPORT_JOB, selection: everyLetter, format: 'ndjson' });
  await jobsOf({ mostBytes: 1_000 }).work();
  expect((await find(id)).notes[0]).toContain('holds no dead letters from before ');
  expect(payloadsIn(await fileOf(id))).toHaveLength(1);
});

test('a slice of dead letters ends in time, also where those that were found are none any more', async () => {
  const ids = await dead(Array.from({ length: 8 }, () => '{}'));
  const [oldest = ''] = ids.toSorted();
  const id = await startOf({ kind: LETTERS_EXPORT_JOB, selection: everyLetter, format: 'ndjson' });
  const places: string[] = [];
  const deliveryQueue = {
    ...engine.deliveryQueue,
    async findDelivery(orgId: string, letter: string) {
      now += 2_000;
      if (letter !== oldest) await engine.deliveryQueue.discardDelivery(orgId, letter, now);
      return engine.deliveryQueue.findDelivery(orgId, letter);
    },
  };
  await jobsOf({
    deadLetters: createDeadLetterActions({ ...engine, deliveryQueue, clock, onDeliveriesDue: () => {} }),
    jobs: {
      async advanceJob(job, progress, ...given) {
        places.push(progress.position ?? '');
        return engine.jobs.advanceJob(job, progress, ...given);
      },
    },
  }).work();
  expect(places).toHaveLength(3);
  expect(await find(id)).toMatchObject({ state: 'done', done: 1, total: 1 });
  expect(payloadsIn(await fileOf(id))).toEqual([{}]);
});

test('a slice of dead letters ends after so many that are none any more', async () => {
  const asked: (string | null | undefined)[] = [];
  const id = await startOf({ kind: LETTERS_EXPORT_JOB, selection: everyLetter, format: 'ndjson' });
  await jobsOf({
    deadLetters: {
      ...deadLetters,
      async *export(_orgId, _selection, below) {
        asked.push(below);
        for (let n = Number(below ?? 700) - 1; n >= 0; n--)
          yield { letter: null, payload: null, place: String(n) };
      },
    },
  }).work();
  expect(asked).toEqual([null, '200']);
  expect(await find(id)).toMatchObject({ state: 'done', total: 0 });
});

test('a file of the audit log holds every entry that matches but its own, as a table too', async () => {
  const entries = Array.from({ length: 1_100 }, (_, n) =>
    anAuditEntry(org, {
      id: idAt('aud', now - n),
      at: now - n,
      address: '192.0.2.7',
      actor: 'many@example.com',
    }),
  );
  await Promise.all(entries.map(entry => engine.configuration.recordAudit(entry)));
  const audit = { kind: AUDIT_EXPORT_JOB, withAddresses: true } as const;
  const lines = await startOf({ ...audit, filter: {}, format: 'ndjson' });
  now += 1;
  const table = await startOf({
    ...audit,
    filter: { actor: 'many@example.com' },
    format: 'csv',
    withAddresses: false,
  });
  await jobsOf().work();
  const read = ((await fileOf(lines)) ?? '').trimEnd().split('\n');
  expect(read.map(line => (JSON.parse(line) as { id: string }).id)).toEqual(entries.map(({ id }) => id));
  expect(read[0]).toContain('192.0.2.7');
  const rows = ((await fileOf(table)) ?? '').trimEnd().split('\r\n');
  expect(rows[0]).toStartWith('at,actor,actor_name,');
  expect(rows).toHaveLength(1_101);
  expect(rows.join('')).not.toContain('192.0.2.7');
});

test('one that an earlier version asked for, which named nothing but events, is written', async () => {
  await store(['{"n":1}']);
  const asked = { orgId: org, kind: 'events.export', total: 0, createdBy: 'a@example.com', createdAt: now };
  const job = newJob({ ...asked, request: '{"filter":{"type":"order.paid"},"format":"ndjson"}' });
  await engine.jobs.createExport(job, { mostRunning: 2, mostKept: 2 });
  await jobsOf().work();
  expect(payloadsIn(await fileOf(job.id))).toEqual([{ n: 1 }]);
});
