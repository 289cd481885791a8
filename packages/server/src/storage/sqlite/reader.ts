import { type OperationName, operations } from '../operations.ts';
import { openForReading, queryBuilder } from './open.ts';
import { type Call, type Reply, toFailure } from './protocol.ts';

/** The thread that answers questions. However long one takes, neither the doors nor the writer wait for it. */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

const { file } = await new Promise<{ file: string }>(resolve => {
  self.onmessage = event => resolve(event.data as { file: string });
  self.postMessage('started');
});

const database = openForReading(file);
const db = queryBuilder(database);

self.onmessage = async event => {
  const call = event.data as Call;
  if (call.name === 'check' || call.name === 'close') {
    self.postMessage({ id: call.id, result: null } satisfies Reply);
    return;
  }
  try {
    const operation = operations[call.name as OperationName] as (
      db: unknown,
      ...args: readonly unknown[]
    ) => Promise<unknown>;
    self.postMessage({ id: call.id, result: await operation(db, ...call.args) } satisfies Reply);
  } catch (error) {
    self.postMessage({ id: call.id, failure: toFailure(error) } satisfies Reply);
  }
};
self.postMessage('ready');
