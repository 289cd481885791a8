import { Database } from 'bun:sqlite';
import { mkdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeListener } from '../../core/stores/change.ts';
import type { ClaimedDelivery } from '../../core/stores/delivery-queue.ts';
import type { StorageEngine } from '../../core/stores/engine.ts';
import type { SettleResult } from '../../core/stores/event-queue.ts';
import { threadScript } from '../../core/threads/script.ts';
import { accessOf, changeOf, isRefusal, toStores } from '../operations.ts';
import { sqliteCapabilities } from './capabilities.ts';
import { restoreAdvice } from './damage.ts';
import { lockDataDirectory } from './lock.ts';
import { requireNotMoved } from './moved-mark.ts';
import { packAttempts } from './pack-attempts.ts';
import { packSettlements, unpackClaims } from './pack-claims.ts';
import { packEntityWrites, unpackEntityResults } from './pack-entities.ts';
import { prepareFile } from './prepare.ts';
import { StorageThread } from './thread.ts';

export const databaseFile = (directory: string): string => join(directory, 'sluice.db');

/** Up to this size every page is checked before the start; a larger file is checked while the service runs. */
const CHECKED_AT_START_BYTES = 256 * 1024 * 1024;

/** The SQLite engine: stores on one thread that writes and one that reads. */
export async function openSqlite(options: {
  directory: string;
  /** The disk failed or the file is damaged: answer what is waiting and end the process. */
  onFatal(reason: string): void;
  checkAtStartUpToBytes?: number;
}): Promise<StorageEngine> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const lock = lockDataDirectory(options.directory);
  const file = databaseFile(options.directory);
  const checkUpToBytes = options.checkAtStartUpToBytes ?? CHECKED_AT_START_BYTES;
  try {
    requireNotMoved(options.directory);
    prepareFile(file, lock, checkUpToBytes);
  } catch (error) {
    lock.release();
    throw error;
  }

  let isFatal = false;
  const onFatal = (reason: string) => {
    // Everybody who was waiting meets the same fault; it is reported once.
    if (isFatal) return;
    isFatal = true;
    options.onFatal(reason.includes('damaged') ? `${reason} ${restoreAdvice(file)}` : reason);
  };
  const writer = await StorageThread.open(new URL('./writer.ts', import.meta.url), file, onFatal);
  const reader = await StorageThread.open(new URL('./reader.ts', import.meta.url), file, onFatal);
  const checker = statSync(file).size > checkUpToBytes ? checkInBackground(file, onFatal) : null;
  const listeners: ChangeListener[] = [];
  const stores = toStores(
    async (name, args) => {
      if (accessOf(name, args) !== 'write') return reader.call(name, args);
      const result = await writer.call(name, args);
      const change = changeOf(name, args);
      if (change && !isRefusal(result)) for (const listener of listeners) listener(change);
      return result;
    },
    {
      append: requests => writer.append(requests),
      claimEvents: async input => unpackClaims((await writer.call('claimEvents', [input])) as string),
      settleEvents: async (settlements, at) => {
        const packed = await writer.call('settleEvents', [packSettlements(settlements), at]);
        return JSON.parse(packed as string) as SettleResult[];
      },
      claimDeliveries: (inputs, lease) =>
        writer.call('claimDeliveries', [inputs, lease]) as Promise<ClaimedDelivery[]>,
      recordAttempts: records => writer.call('recordAttempts', [packAttempts(records)]) as Promise<number[]>,
      writeEntities: async requests => {
        const packed = await writer.call('writeEntities', [packEntityWrites(requests)]);
        return unpackEntityResults(requests, packed as string);
      },
    },
  );

  return {
    ...stores,
    capabilities: sqliteCapabilities,
    async checkWritable() {
      await writer.call('check', []);
    },
    async measure() {
      const { bavail, bsize } = await statfs(options.directory);
      const bytes = sizeOf(file) + sizeOf(`${file}-wal`);
      return { engine: 'sqlite', bytes, freeBytes: bavail * bsize };
    },
    replication: async () => null,
    onConfigurationChanged: listener => void listeners.push(listener),
    changeFeedIsLive: () => true,
    // There is no other node.
    hintAtWork() {},
    onWorkHinted() {},
    async close() {
      checker?.terminate();
      await Promise.all([reader.close(), writer.close()]);
      foldJournalBack(file);
      lock.release();
    },
  };
}

/** The journal comes and goes beside the file. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

function checkInBackground(file: string, onFatal: (reason: string) => void): Worker {
  const worker = new Worker(threadScript(new URL('./checker.ts', import.meta.url)));
  worker.onmessage = ({ data }) => {
    const { damage } = data as { damage: string | null };
    worker.terminate();
    if (damage !== null) onFatal(`The database file is damaged: ${damage}.`);
  };
  worker.postMessage({ file });
  return worker;
}

/**
 * Leaves one tidy file behind a clean stop. The threads are ended by then. Where it cannot, as on a full disk, the
 * journal stays beside the file and the next start reads both.
 */
function foldJournalBack(file: string): void {
  const database = new Database(file);
  try {
    database.run('PRAGMA busy_timeout = 5000');
    database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    return;
  } finally {
    database.close();
  }
}
