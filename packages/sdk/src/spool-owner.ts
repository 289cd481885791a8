import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whose a spool's directory is: two processes that send from one would send events twice. */

/** Throws while another client has it; answers how to give it back. What a process that has ended left is taken over. */
export function claimDirectory(directory: string): () => void {
  const file = join(directory, 'owner');
  const owner = readOwner(file);
  if (owner !== null && isRunning(owner))
    throw new Error(
      `The spool ${directory} is in use by process ${owner.pid}. Give each client a directory of its own.`,
    );
  writeFileSync(file, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }), { mode: 0o600 });
  let isOurs = true;
  return () => {
    if (isOurs) rmSync(file, { force: true });
    isOurs = false;
  };
}

interface Owner {
  readonly pid: number;
  /** Tells it from a later process that was given the same number, where the system says when each was started. */
  readonly started: string | null;
}

function readOwner(file: string): Owner | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function isRunning({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return startOf(pid) === started;
}

/** Linux tells it in clock ticks since the machine was started: the 20th field after the command's name. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
