import { expect, test } from 'bun:test';
import {
  AUDIT_EXPORT_JOB,
  EXPORT_JOB,
  exportJobs,
  LETTERS_EXPORT_JOB,
} from '../../../src/core/jobs/export-job.ts';
import type { Job } from '../../../src/core/stores/jobs.ts';
import { aJob, unclaimed } from './pipeline-samples.ts';
import { anEvent, aRequest, NOW, storedOrganisation } from './samples.ts';
import type { Subject } from './suite.ts';

export function jobFilesContract(subject: Subject): void {
  const bounds = { mostRunning: 2, mostKept: 2 };
  const anExport = (orgId: string, given: Partial<Job> = {}) => aJob(orgId, { kind: EXPORT_JOB, ...given });
  const chunk = (n: number, body: string) => ({ chunk: { n, body, bytes: body.length } });

  /** An export that has written these pieces, and ended. */
  async function ended(
    org: string,
    pieces: readonly string[],
    finishedAt = NOW,
    given: Partial<Job> = {},
  ): Promise<Job> {
    const job = anExport(org, given);
    expect(await subject.storage.createExport(job, bounds)).toBe('created');
    for (const [n, body] of pieces.entries())
      await subject.storage.advanceJob(unclaimed(job), { done: 1 }, NOW, chunk(n, body));
    await subject.storage.finishJob(org, job.id, 'done', finishedAt);
    return job;
  }
  const measure = ({ orgId, id }: Job) => subject.storage.measureFile(orgId, id);
  /** Removes the pieces that nobody can read any more, whatever their age, and answers how many there were. */
  const removeUnread = () => removedBy(() => subject.storage.pruneFiles(0, 1));
  async function removedBy(remove: () => Promise<number>): Promise<number> {
    let all = 0;
    for (let some = await remove(); some > 0; some = await remove()) all += some;
    return all;
  }

  test('a file is written piece by piece with its progress, and read by its organisation alone', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const job = anExport(org);
    await storage.createExport(job, bounds);
    expect(await measure(job)).toBeNull();
    expect(await storage.advanceJob(unclaimed(job), { done: 2 }, NOW, chunk(0, 'one\n'))).toBe(true);
    // Whoever has lost the job writes nothing.
    const late = { ...unclaimed(job), token: 'of somebody else' };
    expect(await storage.advanceJob(late, { done: 9 }, NOW, chunk(1, 'late\n'))).toBe(false);
    expect(await storage.advanceJob(unclaimed(job), { done: 1 }, NOW, chunk(1, 'two\n'))).toBe(true);
    expect(await measure(job)).toEqual({ bytes: 8, chunks: 2 });
    expect(await storage.readFileChunk(org, job.id, 1)).toBe('two\n');
    expect(await storage.readFileChunk(org, job.id, 2)).toBeNull();
    expect(await storage.findJob(org, job.id)).toMatchObject({ done: 3 });
    const other = await storedOrganisation(storage);
    expect(await storage.readFileChunk(other, job.id, 0)).toBeNull();
    expect(await storage.measureFile(other, job.id)).toBeNull();
  });

  test('an organisation has so many under way at once, whoever asks', async () => {
    const org = await storedOrganisation(subject.storage);
    const answers = await subject.atOnce(6, storage => storage.createExport(anExport(org), bounds));
    expect(answers.toSorted()).toEqual([
      'created',
      'created',
      'too_many',
      'too_many',
      'too_many',
      'too_many',
    ]);
    expect(await subject.storage.listJobs(org, { limit: 10, below: null })).toHaveLength(2);
    // Whatever they take.
    for (const kind of exportJobs)
      expect(await subject.storage.createExport(anExport(org, { kind }), bounds)).toBe('too_many');
  });

  test('the files of the newest are kept when another begins', async () => {
    const org = await storedOrganisation(subject.storage);
    await removeUnread();
    const jobs = [await ended(org, ['a']), await ended(org, ['b']), await ended(org, ['c'])];
    // The third began when two were kept; the fourth leaves the two before it.
    const fourth = await ended(org, ['d']);
    expect(await Promise.all([...jobs, fourth].map(measure))).toEqual([
      null,
      { bytes: 1, chunks: 1 },
      { bytes: 1, chunks: 1 },
      { bytes: 1, chunks: 1 },
    ]);
    // What nobody reads any more is not removed in the step that made it so, but in small ones.
    expect(await removeUnread()).toBe(1);
  });

  test('the files of a deleted organisation go a few pieces at a time', async () => {
    const { storage } = subject;
    const [org] = [await storedOrganisation(storage), await storedOrganisation(storage)];
    await removedBy(() => storage.pruneDeleted(NOW, 1_000));
    await ended(org, Array(25).fill('a'));
    expect(await storage.deleteOrganisation(org, NOW)).toBe('deleted');
    const slices: number[] = [];
    await removedBy(async () => {
      const some = await storage.pruneDeleted(NOW, 1_000);
      slices.push(some);
      return some;
    });
    expect(slices).toEqual([1, 10, 10, 5, 0]);
  });

  test('a file goes when its time is over, or when its job came to no good end', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const old = await ended(org, ['a', 'b'], NOW - 1);
    const recent = await ended(org, ['c'], NOW);
    const cancelled = anExport(org);
    await storage.createExport(cancelled, bounds);
    await storage.advanceJob(unclaimed(cancelled), {}, NOW, chunk(0, 'd'));
    const running = anExport(org);
    await storage.createExport(running, bounds);
    await storage.advanceJob(unclaimed(running), {}, NOW, chunk(0, 'e'));
    await storage.finishJob(org, cancelled.id, 'cancelled', NOW);
    while ((await storage.pruneFiles(NOW, 1)) > 0);
    expect(await Promise.all([old, recent, cancelled, running].map(measure))).toEqual([
      null,
      { bytes: 1, chunks: 1 },
      null,
      { bytes: 1, chunks: 1 },
    ]);
  });

  test('no file holds what was erased: those that ended are gone, and one under way fails', async () => {
    const { storage } = subject;
    const [org, other] = [await storedOrganisation(storage), await storedOrganisation(storage)];
    const [file, others] = [await ended(org, ['a']), await ended(other, ['b'])];
    const running = anExport(org, { kind: LETTERS_EXPORT_JOB });
    await storage.createExport(running, bounds);
    await storage.advanceJob(unclaimed(running), {}, NOW, chunk(0, 'c'));
    const event = anEvent({ entityKind: 'person', entityExternalId: 'p1', payload: '{"name":"Ada"}' });
    await storage.append([aRequest(org, [event])]);
    await removeUnread();
    const erase = (externalId: string) =>
      storage.eraseEventsOfEntity(org, { kind: 'person', externalId }, { after: null, limit: 10, at: NOW });

    await erase('nobody');
    expect(await measure(file)).not.toBeNull();
    await erase('p1');
    expect(await measure(file)).toBeNull();
    expect(await storage.readFileChunk(org, file.id, 0)).toBeNull();
    expect(await measure(others)).not.toBeNull();
    expect(await storage.findJob(org, running.id)).toMatchObject({ state: 'failed', finishedAt: NOW });
    expect(await storage.advanceJob(unclaimed(running), {}, NOW, chunk(1, 'late'))).toBe(false);
    expect(await measure(running)).toBeNull();
    expect(await removeUnread()).toBe(2);
    expect(await measure(others)).not.toBeNull();
  });

  test('the audit log has nothing that is erased: its files stay, and one under way goes on', async () => {
    const { storage } = subject;
    const org = await storedOrganisation(storage);
    const file = await ended(org, ['a'], NOW, { kind: AUDIT_EXPORT_JOB });
    const running = anExport(org, { kind: AUDIT_EXPORT_JOB });
    await storage.createExport(running, bounds);
    await storage.append([aRequest(org, [anEvent({ entityKind: 'person', entityExternalId: 'p1' })])]);
    const person = { kind: 'person', externalId: 'p1' };
    const { erased } = await storage.eraseEventsOfEntity(org, person, { after: null, limit: 10, at: NOW });
    expect(erased).toBe(1);
    expect(await measure(file)).not.toBeNull();
    expect(await storage.findJob(org, running.id)).toMatchObject({ state: 'running' });
    expect(await storage.advanceJob(unclaimed(running), {}, NOW, chunk(0, 'b'))).toBe(true);
  });
}
