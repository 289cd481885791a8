import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flushToDisk } from './set-aside.ts';

/**
 * A file in the data directory that says where its database was moved to. The database itself stays as it was; a service
 * that is started on it by mistake would deliver a second time what the new one delivers, and take events that the new
 * one never sees.
 */
const markOf = (directory: string): string => join(directory, 'sluice.moved');

/** Where it was moved to, in words; null where it was not. */
export function readMovedMark(directory: string): string | null {
  return existsSync(markOf(directory)) ? readFileSync(markOf(directory), 'utf8').trim() : null;
}

export function markAsMoved(directory: string, to: string): void {
  const file = markOf(directory);
  writeFileSync(`${file}.unfinished`, `${to}\n`, { mode: 0o600 });
  flushToDisk(`${file}.unfinished`);
  renameSync(`${file}.unfinished`, file);
  flushToDisk(directory);
}

export const movedAdvice = (directory: string, to: string): string =>
  `The database in ${directory} was moved to ${to}: set SLUICE_DATABASE_URL to that. To go back to this one, which has nothing of what has happened since, stop the service there and remove ${markOf(directory)}.`;

export function requireNotMoved(directory: string): void {
  const to = readMovedMark(directory);
  if (to !== null) throw new Error(movedAdvice(directory, to));
}
