import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel counts of a process and each of its threads: CPU time, user and system, and bytes written. */
export interface ProcessReading {
  readonly cpuMs: number;
  readonly threads: ReadonlyMap<string, ThreadReading>;
}

interface ThreadReading {
  readonly name: string;
  readonly nice: number;
  readonly cpuMs: number;
  readonly writtenBytes: number;
}

/** The kernel counts CPU time in hundredths of a second, on every machine that Bun runs on. */
const TICK_MS = 10;

export function readProcess(pid: number): ProcessReading {
  const threads = new Map<string, ThreadReading>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const reading = readThread(`/proc/${pid}/task/${thread}`, thread === String(pid));
    if (reading) threads.set(thread, reading);
  }
  return { cpuMs: readStat(`/proc/${pid}`).cpuMs, threads };
}

/** Null for one that has just ended. */
function readThread(folder: string, isMain: boolean): ThreadReading | null {
  try {
    const { name, nice, cpuMs } = readStat(folder);
    const writtenBytes = Number(/wchar: (\d+)/.exec(readFileSync(`${folder}/io`, 'utf8'))?.[1] ?? 0);
    return { name: isMain ? 'main' : name, nice, cpuMs, writtenBytes };
  } catch {
    return null;
  }
}

interface Stat {
  readonly name: string;
  readonly parent: number;
  readonly nice: number;
  readonly cpuMs: number;
  /** Of children that have ended. */
  readonly endedMs: number;
}

export function readStat(folder: string): Stat {
  const stat = readFileSync(`${folder}/stat`, 'utf8');
  // A name may hold spaces and brackets; the numbers stand behind the last one.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const at = (index: number): number => fields[index] ?? 0;
  return {
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    parent: at(1),
    nice: at(16),
    cpuMs: (at(11) + at(12)) * TICK_MS,
    endedMs: (at(13) + at(14)) * TICK_MS,
  };
}

/** What the threads of a process did between two readings. */
export interface ThreadsSpent {
  readonly cpuMs: number;
  readonly byThread: Readonly<Record<string, number>>;
  /** By the one that writes the database; null where none does. */
  readonly writtenBytes: number | null;
}

/**
 * Bun names every worker alike, so what they do tells them apart: the ones behind all others run steps, before them come
 * those that send, then the one that reads the database's files, and first the one that writes them.
 */
export function threadsSpent(before: ProcessReading, after: ProcessReading): ThreadsSpent {
  const writer = writerOf(after);
  const byThread: Record<string, number> = {};
  let named = 0;
  for (const [thread, { name, nice, cpuMs }] of after.threads) {
    const spent = cpuMs - (before.threads.get(thread)?.cpuMs ?? 0);
    const role = thread === writer ? 'writer' : roleOf(name, nice);
    byThread[role] = (byThread[role] ?? 0) + spent;
    named += spent;
  }
  const cpuMs = after.cpuMs - before.cpuMs;
  byThread['ended threads'] = Math.max(0, cpuMs - named);
  const written = (reading: ProcessReading) => reading.threads.get(writer ?? '')?.writtenBytes ?? 0;
  return { cpuMs, byThread, writtenBytes: writer === null ? null : written(after) - written(before) };
}

function writerOf({ threads }: ProcessReading): string | null {
  const ahead = [...threads].filter(([, { name, nice }]) => name === 'Worker' && nice <= 0);
  return ahead.sort(([, a], [, b]) => b.writtenBytes - a.writtenBytes)[0]?.[0] ?? null;
}

function roleOf(name: string, nice: number): string {
  if (name === 'Worker') return nice > 6 ? 'steps' : nice > 4 ? 'sending' : 'reader';
  if (name === 'main' || name === 'HTTP Client') return name;
  return 'compiler and collector';
}
