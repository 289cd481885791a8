import { describe, expect, test } from 'bun:test';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../../server/test/support/folder.ts';
import { type Batch, createBatchWriter, eventsIn, newBatch } from './batch.ts';
import { diskSpool } from './disk-spool.ts';
import type { Spool } from './spool.ts';

const textsOf = (batch: Batch) => eventsIn(batch).map(event => new TextDecoder().decode(event));

function spool(into: Spool, ...events: string[]): Batch {
  const writer = createBatchWriter();
  for (const event of events) into.append(writer.key, writer.add(event));
  const batch = writer.finish();
  into.close(batch);
  return batch;
}

/** What the next process finds. */
function reopened(directory: string): Batch[] {
  const next = diskSpool(directory);
  const batches = next.load();
  next.release();
  return batches;
}

describe('a spool', () => {
  test('gives the next process what was left, under its keys, byte for byte and in its order', () => {
    const directory = newFolder();
    const before = diskSpool(directory);
    const first = spool(before, '{"n":1}', '{"n":"€ 😀"}');
    const second = spool(before, '{"n":3}');
    before.release();
    const found = reopened(directory);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual(first);
    expect(found).toContainEqual(second);
  });

  test('knows where a line ends, whatever an event says', () => {
    const directory = newFolder();
    const before = diskSpool(directory);
    const texts = ['\u2028#a', '\u2029#b', '\r#c', '\n#d'].map(text => JSON.stringify({ text }));
    const batch = spool(before, ...texts);
    before.release();
    expect(reopened(directory)).toEqual([batch]);
  });

  test('forgets what is stored', () => {
    const directory = newFolder();
    const before = diskSpool(directory);
    const [kept, stored] = [spool(before, '{"n":1}'), spool(before, '{"n":2}')];
    before.replace(stored, []);
    before.release();
    expect(reopened(directory)).toEqual([kept]);
  });

  test('keeps a batch that was divided as its parts', () => {
    const directory = newFolder();
    const before = diskSpool(directory);
    const whole = spool(before, '{"n":1}', '{"n":2}', '{"n":3}');
    const parts = [newBatch(['{"n":1}']), newBatch(['{"n":3}'])] as const;
    before.replace(whole, parts);
    before.release();
    expect(reopened(directory)).toEqual([...parts]);

    const after = diskSpool(directory);
    after.load();
    after.replace(parts[0], []);
    after.release();
    expect(reopened(directory)).toEqual([parts[1]]);
  });

  test('has what was added to a batch that is still open, but not the half of an event', () => {
    const directory = newFolder();
    const before = diskSpool(directory);
    const writer = createBatchWriter();
    before.append(writer.key, writer.add('{"n":1}'));
    const [file = ''] = readdirSync(directory).filter(name => name.endsWith('.spool'));
    appendFileSync(join(directory, file), '{"n":');
    before.release();
    const [found] = reopened(directory);
    expect(found?.key).toBe(writer.key);
    expect(found && textsOf(found)).toEqual(['{"n":1}']);
  });

  test('survives what a power cut may leave of a file', () => {
    const directory = newFolder();
    writeFileSync(join(directory, 'a.spool'), '');
    writeFileSync(join(directory, 'b.spool'), '#key-without-events\n');
    writeFileSync(join(directory, 'c.spool'), '#\0\0\0\n{"n":1}\n');
    writeFileSync(join(directory, 'c.spool.part'), '#half-written');
    const found = reopened(directory);
    expect(found.map(textsOf)).toEqual([['{"n":1}']]);
    expect(found[0]?.key).toMatch(/^[\w-]+$/);
    expect(readdirSync(directory)).toEqual(['c.spool']);
  });
});

describe('the directory of a spool', () => {
  test('is one client’s at a time', () => {
    const directory = newFolder();
    const one = diskSpool(directory);
    expect(() => diskSpool(directory)).toThrow(`in use by process ${process.pid}`);
    one.release();
    const next = diskSpool(directory);
    // What is no longer its own it does not give away.
    one.release();
    expect(() => diskSpool(directory)).toThrow('in use');
    next.release();
  });

  test('is taken over from a process that has ended, also where its number was given to another one', () => {
    const directory = newFolder();
    const owner = join(directory, 'owner');
    diskSpool(directory);
    const { started } = JSON.parse(readFileSync(owner, 'utf8'));
    writeFileSync(owner, JSON.stringify({ pid: process.pid, started: `${Number(started) - 1}` }));
    diskSpool(directory);
    writeFileSync(owner, 'damaged');
    diskSpool(directory);
    // No process has such a number.
    writeFileSync(owner, JSON.stringify({ pid: 2 ** 30, started: null }));
    diskSpool(directory).release();
  });
});
