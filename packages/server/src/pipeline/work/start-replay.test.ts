import { afterEach, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { temporaryDirectory } from '../../../test/support/service.ts';
import { systemClock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import type { JobOrigin } from '../../core/jobs/new-job.ts';
import { type ReplayActions, readReplayRequest } from '../../core/jobs/replay.ts';
import type { StorageEngine } from '../../core/stores/engine.ts';
import type { EventFilter } from '../../core/stores/journal.ts';
import { openStorage } from '../../storage/open.ts';
import { createReplayActions } from './start-replay.ts';

let directory: string;
let engine: StorageEngine;
let replays: ReplayActions;

beforeEach(async () => {
  directory = temporaryDirectory();
  engine = await openStorage({ directory, databaseUrl: undefined, onFatal: console.error });
  replays = createReplayActions({ jobs: engine.jobs, clock: systemClock });
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

const origin: JobOrigin = {
  by: 'ada@example.com',
  record: ({ id, orgId, createdAt }) => ({
    id: newId('aud'),
    orgId,
    at: createdAt,
    actor: 'ada@example.com',
    action: 'events.replayed',
    target: id,
    address: null,
    details: {},
  }),
};

const listAll = { limit: 10, below: null };
const auditOf = async (orgId: string) =>
  (await engine.configuration.listAudit(orgId, listAll)).map(({ target }) => target);

test('a replay is a job from the moment it is asked for, and on record with it', async () => {
  const { id } = await replays.replayEvent('org', { id: 'evt_1', state: 'failed' }, 'original', origin);
  expect(await engine.jobs.findJob('org', id)).toMatchObject({
    kind: 'replay',
    state: 'running',
    total: 1,
    done: 0,
    createdBy: 'ada@example.com',
    finishedAt: null,
  });
  expect(await auditOf('org')).toEqual([id]);
});

test('an event that has not been processed yet is not replayed, and nothing is on record', async () => {
  const early = replays.replayEvent('org', { id: 'evt_1', state: 'accepted' }, 'current', origin);
  await expect(early).rejects.toMatchObject({ code: 'conflict' });
  expect(await engine.jobs.listJobs('org', listAll)).toEqual([]);
  expect(await auditOf('org')).toEqual([]);
});

test('what is asked for is read from storage as it was given, every criterion of it', async () => {
  const filter: Required<EventFilter> = {
    state: 'dropped',
    outcome: 'dropped',
    source: 'src_1',
    type: 'order.paid',
    pipeline: 'pipe_1',
    destination: 'dst_1',
    entity: { kind: 'customer', externalId: 'c:1' },
    text: 'widget',
    after: 1,
    before: 2,
  };
  const { id } = await replays.replayEvents('org', filter, 'current', origin);
  const job = await engine.jobs.findJob('org', id);
  if (job === null) throw new Error('The job is not stored.');
  expect(readReplayRequest(job)).toEqual({ filter, version: 'current' });
});
