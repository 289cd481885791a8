import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Batch, eventsIn, newBatch } from './batch.ts';
import type { Spool } from './spool.ts';
import { claimDirectory } from './spool-owner.ts';

/**
 * A spool on disk, for Node and Bun. An event is handed to the operating system before `track` returns, so a crash of
 * the process loses none; a batch that was under way is sent again under its key, and the server takes it once.
 *
 * A file holds a batch, or the batches that one was divided into: a line with the key, then one event a line. It is
 * replaced as a whole, so that a crash never leaves an event in two batches.
 */
export function diskSpool(directory: string): Spool {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const release = claimDirectory(directory);
  const files = new Map<string, SpoolFile>();
  let open: { readonly key: string; readonly descriptor: number; length: number } | null = null;

  function create(key: string): NonNullable<typeof open> {
    close();
    const path = pathOf(key);
    const descriptor = openSync(path, 'w', 0o600);
    return { key, descriptor, length: writeSync(descriptor, keyLine(key), 0) };
  }

  function close(): void {
    if (open === null) return;
    const { descriptor } = open;
    open = null;
    closeSync(descriptor);
  }

  const pathOf = (key: string): string => join(directory, `${key}${SUFFIX}`);

  return {
    load() {
      const all = readdirSync(directory);
      // A process that ended while it wrote one: what it was to replace still stands.
      for (const name of all.filter(name => name.endsWith(PART))) rmSync(join(directory, name));
      const names = all.filter(name => name.endsWith(SUFFIX));
      return names.sort().flatMap(name => {
        const file = readSpoolFile(join(directory, name));
        for (const { key } of file.batches) files.set(key, file);
        return file.batches;
      });
    },
    append(key, event) {
      if (open?.key !== key) open = create(key);
      const line = Buffer.concat([event, LINE_END]);
      // At its place, so that the next line overwrites what a full disk has left of this one.
      if (writeSync(open.descriptor, line, 0, line.length, open.length) < line.length)
        throw new Error('The disk is full.');
      open.length += line.length;
    },
    close(batch) {
      files.set(batch.key, { path: pathOf(batch.key), batches: [batch] });
      if (open?.key === batch.key) close();
    },
    replace(batch, by) {
      const file = files.get(batch.key);
      if (file === undefined) return;
      files.delete(batch.key);
      for (const next of by) files.set(next.key, file);
      file.batches = file.batches.flatMap(one => (one.key === batch.key ? by : [one]));
      if (file.batches.length === 0) return rmSync(file.path, { force: true });
      writeFileSync(`${file.path}${PART}`, Buffer.concat(file.batches.flatMap(linesOf)), { mode: 0o600 });
      renameSync(`${file.path}${PART}`, file.path);
    },
    release() {
      close();
      release();
    },
  };
}

interface SpoolFile {
  readonly path: string;
  batches: Batch[];
}

const SUFFIX = '.spool';
const PART = '.part';

/** No event begins like this: each is an object. */
const KEY_MARK = '#';
const LINE_END = Buffer.from('\n');
const keyLine = (key: string): string => `${KEY_MARK}${key}\n`;
const linesOf = (batch: Batch): Uint8Array[] => [
  Buffer.from(keyLine(batch.key)),
  ...eventsIn(batch).flatMap(event => [event, LINE_END]),
];

function readSpoolFile(path: string): SpoolFile {
  // What follows the last line's end was being written when the process ended: `track` had not returned.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  const parts: { readonly key: string; readonly events: string[] }[] = [];
  for (const line of lines) {
    if (line.startsWith(KEY_MARK)) parts.push({ key: line.slice(KEY_MARK.length), events: [] });
    else parts.at(-1)?.events.push(line);
  }
  // A machine that lost its power may have left anything, and not everything can be a key.
  const batches = parts.flatMap(({ key, events }) =>
    events.length === 0 ? [] : [newBatch(events, /^[\w-]+$/.test(key) ? key : undefined)],
  );
  if (batches.length === 0) rmSync(path, { force: true });
  return { path, batches };
}
