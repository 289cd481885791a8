import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { aJob } from '../../../../test/contract/storage/pipeline-samples.ts';
import { openPrivateCalls, type PrivateCalls } from '../../../../test/support/private-calls.ts';
import { systemClock } from '../../../core/clock.ts';
import { AUDIT_EXPORT_JOB } from '../../../core/jobs/export-job.ts';
import { jobCalls } from './jobs.ts';

let dashboard: PrivateCalls;
beforeAll(async () => {
  dashboard = await openPrivateCalls();
  const { calls, storage } = dashboard;
  jobCalls(calls, { jobs: storage, exports: { findFile: async () => null }, clock: systemClock });
});
afterAll(() => dashboard.close());

test('jobs are listed and shown also where one asks for actions that only a later version knows', async () => {
  const { storage, orgId } = dashboard;
  const filter = { action: 'later.done', kind: 'later' };
  const request = JSON.stringify({ filter, format: 'csv', withAddresses: false });
  const job = aJob(orgId, { kind: AUDIT_EXPORT_JOB, request });
  await storage.createExport(job, { mostRunning: 2, mostKept: 2 });
  const shown = { id: job.id, request: { filter, format: 'csv', with_addresses: false } };
  const list = await dashboard.get('/jobs');
  expect((await list.json()) as { data: JobRecord[] }).toMatchObject({ data: [shown] });
  const one = await dashboard.get(`/jobs/${job.id}`);
  expect((await one.json()) as { data: JobRecord }).toMatchObject({ data: shown });
});
