import { lowerThreadPriority } from '../../core/threads/thread-priority.ts';
import { accessOf, type OperationName, perform } from '../operations.ts';
import { openForReading, queryBuilder } from './open.ts';
import { type Call, type Reply, toFailure } from './protocol.ts';
import { createSnapshots } from './snapshots.ts';

/** The thread that answers questions. However long one takes, neither the endpoints nor the writer wait for it. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

/** Each connection has a cache of its own. */
const SNAPSHOT_CACHE_KIB = 2_048;

// Where the CPU is short, what comes in goes before what is looked up.
lowerThreadPriority('reading');
const { file } = await new Promise<{ file: string }>(resolve => {
  self.onmessage = event => resolve(event.data as { file: string });
  self.postMessage('started');
});

const db = queryBuilder(openForReading(file));
const snapshots = createSnapshots(() => queryBuilder(openForReading(file, SNAPSHOT_CACHE_KIB)));

self.onmessage = async event => {
  const { id, name, args } = event.data as Call;
  if (name === 'check' || name === 'close') {
    self.postMessage({ id, result: null } satisfies Reply);
    return;
  }
  try {
    self.postMessage({ id, result: await answer(name as OperationName, args) } satisfies Reply);
  } catch (error) {
    self.postMessage({ id, failure: toFailure(error) } satisfies Reply);
  }
};
self.postMessage('ready');

const answer = (name: OperationName, args: readonly unknown[]): Promise<unknown> =>
  accessOf(name, args) === 'snapshot'
    ? snapshots.read(snapshot => perform(snapshot, name, args))
    : perform(db, name, args);
