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
import { type Batch, sizeOf } from './batch.ts';
import type { Spool } from './spool.ts';

/**
 * A spool on disk, for Node and Bun. An event is handed to the operating system before `track` returns, so a crash of
 * the process loses none; a batch that was under way is sent again under its key, and the server takes it once.
 *
 * A file holds a batch, or the batches that one was divided into: a line with the key, then one event a line. It is
 * replaced as a whole, so that a crash never leaves an event in two batches.
 */
export function diskSpool(directory: string): Spool {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  takeOver(directory);
  const files = new Map<string, SpoolFile>();
  const open = new Map<string, number>();

  function change(batch: Batch, by: readonly Batch[]): void {
    const file = files.get(batch.key);
    if (file === undefined) return;
    file.batches = file.batches.flatMap(one => (one.key === batch.key ? by : [one]));
    files.delete(batch.key);
    for (const next of by) files.set(next.key, file);
    if (file.batches.length === 0) {
      rmSync(file.path, { force: true });
      return;
    }
    writeFileSync(`${file.path}.part`, file.batches.map(textOf).join(''), { mode: 0o600 });
    renameSync(`${file.path}.part`, file.path);
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
      let descriptor = open.get(batch.key);
      if (descriptor === undefined) {
        const path = join(directory, `${batch.key}${SUFFIX}`);
        files.set(batch.key, { path, batches: [batch] });
        descriptor = openSync(path, 'w', 0o600);
        open.set(batch.key, descriptor);
        writeSync(descriptor, keyLine(batch));
      }
      writeSync(descriptor, `${event}\n`);
    },
    close(batch) {
      const descriptor = open.get(batch.key);
      if (descriptor === undefined) return;
      open.delete(batch.key);
      closeSync(descriptor);
    },
    replace: change,
    remove: batch => change(batch, []),
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
  const batches: Batch[] = [];
  // A line without its end was being written when the process ended: `track` had not returned.
  for (const line of readFileSync(path, 'utf8').split('\n').slice(0, -1)) {
    if (line.startsWith(KEY_MARK)) {
      batches.push({ key: line.slice(KEY_MARK.length), events: [], size: 0 });
      continue;
    }
    const batch = batches.at(-1);
    if (batch === undefined) continue;
    batch.events.push(line);
    batch.size += sizeOf(line);
  }
  const whole = batches.filter(({ events }) => events.length > 0);
  if (whole.length === 0) rmSync(path, { force: true });
  return { path, batches: whole };
}

/** Two processes that send from one directory would send everything twice. */
function takeOver(directory: string): void {
  const file = join(directory, 'owner');
  const owner = readOwner(file);
  if (owner !== null && owner !== process.pid && isAlive(owner))
    throw new Error(
      `The spool ${directory} is in use by process ${owner}. Give each process a directory of its own.`,
    );
  writeFileSync(file, String(process.pid), { mode: 0o600 });
}

function readOwner(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8')) || null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}
