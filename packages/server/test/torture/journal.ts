import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logs } from './lines.ts';

/** The files of a run: each line is in the kernel's hands before whoever wrote it goes on. */
export interface RunFiles {
  readonly folder: string;
  /** Milliseconds since the run began. */
  now(): number;
  write<Name extends keyof Logs>(name: Name, line: Logs[Name][number]): void;
  /** All that was written, read back from the files. */
  read(): Logs;
  close(): void;
}

const names = [
  'senders',
  'operators',
  'lives',
  'receivers',
  'model',
  'people',
  'faults',
  'seen',
  'failed',
  'setUp',
  'final',
  'secrets',
  'trapped',
] as const satisfies readonly (keyof Logs)[];

/** In an empty folder: what an earlier run left there would be taken for what befell this one. */
export function openRunFiles(folder: string): RunFiles {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const began = performance.now();
  const pathOf = (name: keyof Logs) => join(folder, `${name}.jsonl`);
  const files = Object.fromEntries(names.map(name => [name, openSync(pathOf(name), 'w')]));
  return {
    folder,
    now: () => Math.round(performance.now() - began),
    write(name, line) {
      writeSync(files[name] ?? -1, `${JSON.stringify(line)}\n`);
    },
    read: () =>
      Object.fromEntries(names.map(name => [name, readLines(pathOf(name))])) as Record<
        string,
        unknown
      > as unknown as Logs,
    close() {
      for (const file of Object.values(files)) closeSync(file);
    },
  };
}

const readLines = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as unknown);
