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
import { type Batch, newBatch } from './batch.ts';
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

  function create(batch: Batch): NonNullable<typeof open> {
    const path = join(directory, `${batch.key}${SUFFIX}`);
    files.set(batch.key, { path, batches: [batch] });
    return { key: batch.key, descriptor: openSync(path, 'w', 0o600), length: 0 };
  }

  function close(): void {
    if (open === null) return;
    const { descriptor } = open;
    open = null;
    closeSync(descriptor);
  }

  return {
    load() {
      const names = readdirSync(directory).filter(name => name.endsWith(SUFFIX));
      return names.sort().flatMap(name => {
        const file = readSpoolFile(join(directory, name));
        for (const { key } of file.batches) files.set(key, file);
        return file.batches;
      });
    },
    append(batch, event) {
      if (open?.key !== batch.key) {
        close();
        open = create(batch);
      }
      const line = open.length === 0 ? `${keyLine(batch)}${event}\n` : `${event}\n`;
      // At its place, so that the next line overwrites what a full disk has left of this one.
      open.length += writeSync(open.descriptor, line, open.length);
    },
    close(batch) {
      if (open?.key === batch.key) close();
    },
    replace(batch, by) {
      const file = files.get(batch.key);
      if (file === undefined) return;
      files.delete(batch.key);
      for (const next of by) files.set(next.key, file);
      file.batches = file.batches.flatMap(one => (one.key === batch.key ? by : [one]));
      if (file.batches.length === 0) return rmSync(file.path, { force: true });
      writeFileSync(`${file.path}.part`, file.batches.map(textOf).join(''), { mode: 0o600 });
      renameSync(`${file.path}.part`, file.path);
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

/** No event begins like this: each is an object. */
const KEY_MARK = '#';
const keyLine = ({ key }: Batch): string => `${KEY_MARK}${key}\n`;
const textOf = (batch: Batch): string => keyLine(batch) + batch.events.map(event => `${event}\n`).join('');

function readSpoolFile(path: string): SpoolFile {
  // What follows the last line's end was being written when the process ended: `track` had not returned.
  const [, ...texts] = readFileSync(path, 'utf8')
    .replace(/[^\n]*$/, '')
    .split(new RegExp(`^${KEY_MARK}`, 'm'));
  const batches = texts.flatMap(text => {
    const [key = '', ...events] = text.split('\n').slice(0, -1);
    return events.length === 0 ? [] : [newBatch(events, key)];
  });
  if (batches.length === 0) rmSync(path, { force: true });
  return { path, batches };
}
