import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { newId } from '../../src/core/ids.ts';
import { openSqlite } from '../../src/storage/sqlite/engine.ts';
import { findJournalDamage } from '../../src/storage/sqlite/journal-damage.ts';
import { acceptedIds, ingestWith, storedEvents } from '../support/endpoints.ts';
import { refusedStart, startProcess } from '../support/process.ts';
import { type Seed, temporaryDirectory } from '../support/service.ts';
import { type Prepared, prepareDirectory } from './prepare.ts';

/** Two directories to copy from: one that was stopped cleanly, one that was killed with its journal still full. */
let stopped: Prepared;
let killed: Prepared;
let acknowledged: string[];
const copies: string[] = [];

const EVENTS = 3_000;
/** Few enough that none of them has moved from the journal into the database yet. */
const COMMITS = 15;

beforeAll(async () => {
  stopped = await prepareDirectory();
  const engine = await stopped.reopen();
  await engine.journal.append([manyEvents(stopped.seed)]);
  await engine.close();

  killed = await prepareDirectory();
  const server = await startProcess({ directory: killed.directory });
  acknowledged = [];
  for (let n = 0; n < COMMITS; n++) {
    acknowledged.push(
      ...acceptedIds(await ingestWith(server.url, killed.seed.apiKey)({ events: [{ type: `n${n}` }] })),
    );
  }
  server.kill('SIGKILL');
  await server.ended;
});
afterAll(() => {
  for (const directory of [...copies, stopped.directory, killed.directory])
    rmSync(directory, { recursive: true });
});

const manyEvents = (seed: Seed) => ({
  orgId: seed.orgId,
  sourceId: null,
  receivedAt: Date.now(),
  idempotency: null,
  events: Array.from({ length: EVENTS }, (_, n) => ({
    id: newId('evt'),
    type: 'a',
    icon: null,
    payload: JSON.stringify({ n, s: 'x'.repeat(500) }),
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: 0,
  })),
});

function copyOf({ directory }: Prepared): string {
  const copy = temporaryDirectory();
  copies.push(copy);
  // A socket, as a process that was killed leaves it, is nothing to copy.
  cpSync(directory, copy, { recursive: true, filter: file => !file.endsWith('.sock') });
  return copy;
}

const databaseOf = (directory: string) => join(directory, 'sluice.db');
const journalOf = (directory: string) => join(directory, 'sluice.db-wal');

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const opened = openSync(file, 'r+');
  writeSync(opened, bytes, 0, bytes.length, at);
  closeSync(opened);
}

const middleOf = (file: string) => Math.floor(statSync(file).size / 2 / 4_096) * 4_096;
const noise = (length: number) => Buffer.alloc(length, createHash('sha256').update('noise').digest());

/** What must not change when a start refuses: the data, not the lock and not the index of the journal. */
const fingerprint = (directory: string) =>
  readdirSync(directory)
    .filter(name => /^sluice\.db(-wal)?$/.test(name) && statSync(join(directory, name)).size > 0)
    .map(name => [
      name,
      createHash('sha256')
        .update(readFileSync(join(directory, name)))
        .digest('hex'),
    ]);

const fail = (reason: string) => {
  throw new Error(reason);
};

describe('a damaged database file stops the start and names the restore step', () => {
  const damages: [string, () => Prepared, (directory: string) => void][] = [
    ['its header overwritten', () => stopped, directory => overwrite(databaseOf(directory), 0, noise(100))],
    [
      'its first page zeroed',
      () => stopped,
      directory => overwrite(databaseOf(directory), 0, Buffer.alloc(4_096)),
    ],
    [
      'cut in the middle',
      () => stopped,
      directory => truncateSync(databaseOf(directory), middleOf(databaseOf(directory))),
    ],
    [
      'cut within a page',
      () => stopped,
      directory => truncateSync(databaseOf(directory), middleOf(databaseOf(directory)) + 100),
    ],
    [
      'a page in the middle overwritten',
      () => stopped,
      directory => overwrite(databaseOf(directory), middleOf(databaseOf(directory)), noise(4_096)),
    ],
    [
      'a page in the middle zeroed',
      () => stopped,
      directory => overwrite(databaseOf(directory), middleOf(databaseOf(directory)), Buffer.alloc(4_096)),
    ],
    ['emptied', () => stopped, directory => truncateSync(databaseOf(directory), 0)],
    ['removed', () => stopped, directory => rmSync(databaseOf(directory))],
    ['emptied beside a full journal', () => killed, directory => truncateSync(databaseOf(directory), 0)],
    [
      'a frame in the middle of its journal overwritten',
      () => killed,
      directory => overwrite(journalOf(directory), middleOf(journalOf(directory)), noise(4_096)),
    ],
    [
      'one bit of its journal flipped',
      () => killed,
      directory =>
        overwrite(
          journalOf(directory),
          5_000,
          Buffer.from([readFileSync(journalOf(directory)).readUInt8(5_000) ^ 1]),
        ),
    ],
    [
      'the header of its journal overwritten',
      () => killed,
      directory => overwrite(journalOf(directory), 0, noise(32)),
    ],
  ];
  for (const [name, from, damage] of damages) {
    test(name, async () => {
      const directory = copyOf(from());
      damage(directory);
      const before = fingerprint(directory);
      const refused = await openSqlite({ directory, onFatal: fail }).catch((error: unknown) => error);
      const { message } = refused as Error;
      expect(message).toContain(databaseOf(directory));
      expect(message).toMatch(/is damaged|is missing or empty/);
      expect(message).toContain('sluice backup');
      expect(message).not.toContain('\n');
      expect(fingerprint(directory)).toEqual(before);
    });
  }

  test('in one line and with an exit code; and the step that it names helps', async () => {
    const directory = copyOf(stopped);
    overwrite(databaseOf(directory), middleOf(databaseOf(directory)), noise(4_096));
    const { end, output } = await refusedStart({ directory });
    expect(end).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain('is damaged');

    for (const suffix of ['', '-wal', '-shm']) rmSync(databaseOf(directory) + suffix, { force: true });
    cpSync(databaseOf(stopped.directory), databaseOf(directory));
    const server = await startProcess({ directory });
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});

describe('what a crash may leave is no damage', () => {
  const frame = 4_096 + 24;
  const ends: [string, (journal: string) => void, number][] = [
    ['a journal as it was', () => {}, COMMITS],
    ['half a frame at its end', journal => appendFileSync(journal, noise(frame / 2)), COMMITS],
    ['frames of a former life at its end', journal => appendFileSync(journal, noise(frame * 5)), COMMITS],
    ['an end that was never written', journal => appendFileSync(journal, Buffer.alloc(frame * 3)), COMMITS],
    // Which need not be that of an event: the ingest endpoints also record when a key was last used.
    ['the last commit cut off', journal => truncateSync(journal, statSync(journal).size - 100), COMMITS - 1],
  ];
  for (const [name, change, least] of ends) {
    test(name, async () => {
      const directory = copyOf(killed);
      change(journalOf(directory));
      expect(findJournalDamage(journalOf(directory))).toBeNull();
      const engine = await openSqlite({ directory, onFatal: fail });
      const stored = (await storedEvents(engine, killed.seed.orgId)).map(({ id }) => id);
      expect(stored.toReversed()).toEqual(acknowledged.slice(0, stored.length));
      expect(stored.length).toBeGreaterThanOrEqual(least);
      await engine.close();
    });
  }
});

test('a file too large to check before the start is checked while it runs, and damage ends the process', async () => {
  const directory = copyOf(stopped);
  const engine = await openSqlite({ directory, checkAtStartUpToBytes: 0, onFatal: fail });
  expect(await storedEvents(engine, stopped.seed.orgId)).toHaveLength(EVENTS);
  await engine.close();

  overwrite(databaseOf(directory), middleOf(databaseOf(directory)), noise(4_096));
  const found = Promise.withResolvers<string>();
  const damaged = await openSqlite({ directory, checkAtStartUpToBytes: 0, onFatal: found.resolve });
  const reason = await found.promise;
  expect(reason).toContain('is damaged');
  expect(reason).toContain('sluice backup');
  await damaged.close();
});

test('damage that a read comes upon ends the process too', async () => {
  const directory = copyOf(stopped);
  const found = Promise.withResolvers<string>();
  const engine = await openSqlite({ directory, onFatal: found.resolve });
  overwrite(databaseOf(directory), 8_192, noise(statSync(databaseOf(directory)).size - 8_192));
  const refused = await storedEvents(engine, stopped.seed.orgId).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'storage_unavailable' });
  expect(await found.promise).toContain('sluice backup');
  await engine.close().catch(() => {});
});
