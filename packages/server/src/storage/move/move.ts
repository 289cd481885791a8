import { setTimeout as sleep } from 'node:timers/promises';
import { minutes, seconds } from '../../core/clock.ts';
import { compareKeys } from '../../core/secrets/key-check.ts';
import { hostAndPort, readConnections } from '../postgres/connection.ts';
import { type MoveTarget, openMoveTarget, TargetLost } from '../postgres/move-target.ts';
import { lockDataDirectory } from '../sqlite/lock.ts';
import { type MoveSource, openMoveSource } from '../sqlite/move-source.ts';
import { markAsMoved, requireNotMoved } from '../sqlite/moved-mark.ts';
import { type Pass, passOver } from './pass.ts';

/**
 * `sluice move`: everything of an embedded database to PostgreSQL. Beside a running service all tables are copied, then
 * compared and corrected until little changes between two looks; with the service stopped, one last pass makes every row
 * the same and checks it, and only then the target is whole and the source marked. Each pass compares all there is, so
 * whatever changed or went meanwhile is found, in whichever way it changed, and one that was cut short is begun again.
 */
interface MoveOptions {
  readonly directory: string;
  readonly url: string;
  readonly replicas: number;
  /** What the secret keys at hand yield, the present one first. */
  readonly keyChecks: readonly string[];
  /** One line, over and over. */
  onProgress(line: string): void;
  /** The target is away, and is tried again. */
  onAway(reason: string): void;
  /** How long to try without any success. */
  readonly patienceMs?: number;
}

/** So few rows are carried in a moment, and another look would find as many. */
const FEW_ROWS = 2_000;

/** Copies beside a service that may be running. Answers what the last pass found. */
export async function copyBeside(options: MoveOptions): Promise<Pass> {
  requireNotMoved(options.directory);
  return withBoth(options, { isStopped: false }, async (source, target, follow) => {
    let last = await passOver(source, target, {
      isFirst: target.position !== null,
      check: false,
      onChunk: follow('Copying'),
    });
    if (target.position !== null) await target.endFirstCopy(options.onProgress);
    for (;;) {
      const next = await passOver(source, target, {
        isFirst: false,
        check: false,
        onChunk: follow('Comparing'),
      });
      // Where as much changes as before, the service changes that much while one pass lasts.
      if (next.changed <= FEW_ROWS || next.changed > last.changed / 2) return next;
      last = next;
    }
  });
}

/** With the service stopped: the last pass, after which the target is whole. */
export async function finishMove(options: MoveOptions): Promise<Pass> {
  const { directory, url, keyChecks } = options;
  const lock = lockDataDirectory(directory);
  try {
    return await withBoth(options, { isStopped: true }, async (source, target, follow) => {
      const pass = await passOver(source, target, {
        isFirst: false,
        check: true,
        onChunk: follow('Comparing'),
      });
      requireKeys(await target.keyCheck(), keyChecks);
      await target.complete(
        options.onProgress,
        source.unwritten,
        // Before the target may be served: killed in between, neither is, and the next finish goes on.
        () => markAsMoved(directory, describeTarget(url)),
      );
      return pass;
    });
  } finally {
    lock.release();
  }
}

/** Rows go by in thousands; a person reads a few lines a second. */
const PROGRESS_EVERY_MS = 200;

type Follow = (doing: string) => (table: string, rows: number) => void;

/** Opens both sides. Where the target is lost the work is done again on a new connection, and goes on where it was. */
async function withBoth<T>(
  options: MoveOptions,
  { isStopped }: { readonly isStopped: boolean },
  work: (source: MoveSource, target: MoveTarget, follow: Follow) => Promise<T>,
): Promise<T> {
  const { url, replicas, patienceMs = minutes(2) } = options;
  const source = openMoveSource(options.directory, { isStopped });
  let giveUpAt = performance.now() + patienceMs;
  const onChunk = () => {
    giveUpAt = performance.now() + patienceMs;
  };
  try {
    requireKeys(source.keyCheck, options.keyChecks);
    for (;;) {
      try {
        const { installation, tables } = source;
        const target = await openMoveTarget({ url, replicas, installation, tables });
        try {
          return await work(source, target, doing => showing(doing, options.onProgress, onChunk));
        } finally {
          await target.close();
        }
      } catch (error) {
        if (!(error instanceof TargetLost)) throw error;
        if (performance.now() > giveUpAt) {
          throw new Error(`${error.message}. Run it again to continue where it left off.`);
        }
        options.onAway(error.message);
        await sleep(seconds(1));
      }
    }
  } finally {
    source.close();
  }
}

function showing(
  doing: string,
  onProgress: MoveOptions['onProgress'],
  onChunk: () => void,
): (table: string, rows: number) => void {
  const beganAt = performance.now();
  let [all, shownAt] = [0, beganAt];
  return (table, rows) => {
    onChunk();
    all += rows;
    const now = performance.now();
    if (now - shownAt < PROGRESS_EVERY_MS) return;
    shownAt = now;
    const rate = Math.round(all / ((now - beganAt) / 1000));
    onProgress(
      `${doing} ${table}: ${all.toLocaleString('en')} rows in all, ${rate.toLocaleString('en')} a second`,
    );
  };
}

function requireKeys(kept: string | null, keyChecks: readonly string[]): void {
  const state = kept === null ? 'other keys' : compareKeys(kept, keyChecks);
  if (state === 'other keys') {
    throw new Error(
      'The secret key at hand is not the one that this database was sealed with: run the move with the settings of the service.',
    );
  }
  if (state === 'one is missing') {
    throw new Error('The secret key is being changed. Finish that first: run sluice reseal with both keys.');
  }
}

function describeTarget(url: string): string {
  const hosts = readConnections(url);
  return `PostgreSQL at ${hosts.map(hostAndPort).join(', ')}, database ${hosts[0]?.database}`;
}
