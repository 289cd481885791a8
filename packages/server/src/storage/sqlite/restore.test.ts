import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../../test/support/folder.ts';
import { seedOrganisation } from '../../../test/support/service.ts';
import { backUpSqlite } from './backup.ts';
import { databaseFile, openSqlite } from './engine.ts';
import { restoreSqlite } from './restore.ts';
import { replaceDatabase } from './set-aside.ts';

const NOW = new Date('2026-01-02T03:04:05.678Z');
const ASIDE = 'before-2026-01-02T03-04-05-678Z';

const fail = (reason: string) => {
  throw new Error(reason);
};

/** As a process that was killed leaves it: the organisation is in the journal alone. The backup was made before. */
async function killedDirectory() {
  const directory = newFolder();
  const backup = join(newFolder(), 'copy.db');
  await (await openSqlite({ directory, onFatal: fail })).close();
  backUpSqlite(directory, backup);
  const engine = await openSqlite({ directory, onFatal: fail });
  await seedOrganisation(engine);
  const killed = newFolder();
  for (const name of readdirSync(directory)) {
    if (name !== 'sluice.lock') copyFileSync(join(directory, name), join(killed, name));
  }
  await engine.close();
  return { directory: killed, file: databaseFile(killed), backup };
}

function organisationsIn(file: string): number {
  const database = new Database(file);
  try {
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    return (database.query('SELECT count(*) AS n FROM organisations').get() as { n: number }).n;
  } finally {
    database.close();
  }
}

test.each(['missing', 'empty'])('a journal whose database is %s does not get into the backup', async how => {
  const { directory, file, backup } = await killedDirectory();
  if (how === 'missing') rmSync(file);
  else truncateSync(file);
  const journal = readFileSync(`${file}-wal`);
  expect(journal.length).toBeGreaterThan(0);

  const { setAside } = restoreSqlite(directory, backup, { replace: false, now: NOW });
  expect(organisationsIn(file)).toBe(0);
  expect(readFileSync(`${file}.${ASIDE}-wal`).equals(journal)).toBe(true);
  expect(existsSync(setAside ?? '')).toBe(true);
});

test('what is set aside is whole, with what stood in its journal alone', async () => {
  const { directory, file, backup } = await killedDirectory();
  const { setAside } = restoreSqlite(directory, backup, { replace: true, now: NOW });
  expect(setAside).toBe(`${file}.${ASIDE}`);
  expect(organisationsIn(file)).toBe(0);
  expect(organisationsIn(`${file}.${ASIDE}`)).toBe(1);
});

test.each(['', '-wal', '-shm'])('a restore that cannot move “%s” changes nothing', async which => {
  const { directory, file, backup } = await killedDirectory();
  // No file can take the place of a folder.
  const inTheWay = `${file}.${ASIDE}${which}`;
  mkdirSync(inTheWay);
  writeFileSync(join(inTheWay, 'file'), '');
  const before = readdirSync(directory).sort();
  expect(() => restoreSqlite(directory, backup, { replace: true, now: NOW })).toThrow();
  expect(readdirSync(directory).sort()).toEqual([...before, 'sluice.lock'].sort());
  rmSync(inTheWay, { recursive: true });
  expect(organisationsIn(file)).toBe(1);
});

/** As a restore leaves it that was killed when the journals had been moved, and the database not yet. */
async function cutDirectory() {
  const killed = await killedDirectory();
  const { file, backup } = killed;
  const copy = `${file}.unfinished`;
  copyFileSync(backup, copy);
  let note = '';
  const afterwards = () => {
    note = readFileSync(`${file}.replacing`, 'utf8');
    throw new Error('undo it');
  };
  expect(() => replaceDatabase(file, copy, { now: NOW, afterwards })).toThrow('undo it');
  writeFileSync(`${file}.replacing`, note);
  for (const side of ['-wal', '-shm']) renameSync(`${file}${side}`, `${file}.${ASIDE}${side}`);
  return killed;
}

test('a restore that was killed halfway costs nothing at the next start', async () => {
  const { directory, file } = await cutDirectory();
  await (await openSqlite({ directory, onFatal: fail })).close();
  expect(organisationsIn(file)).toBe(1);
  expect(existsSync(`${file}.replacing`)).toBe(false);
});

test('a restore that was killed halfway is done from the beginning by the next', async () => {
  const { directory, file, backup } = await cutDirectory();
  const { setAside } = restoreSqlite(directory, backup, { replace: true, now: new Date(0) });
  expect(organisationsIn(setAside ?? '')).toBe(1);
  expect(organisationsIn(file)).toBe(0);
  expect(existsSync(`${file}.replacing`)).toBe(false);
});

test('a backup that was put in place by hand afterwards does not get the journals', async () => {
  const { directory, file, backup } = await cutDirectory();
  copyFileSync(backup, file);
  await (await openSqlite({ directory, onFatal: fail })).close();
  expect(organisationsIn(file)).toBe(0);
  expect(existsSync(`${file}.${ASIDE}-wal`)).toBe(true);
});
