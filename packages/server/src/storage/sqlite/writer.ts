import { operations } from '../operations.ts';
import { prepareAppend } from './append.ts';
import { openForWriting, queryBuilder } from './open.ts';
import { type Call, type Reply, toFailure, uncommonOf, unpackAppend } from './protocol.ts';

/**
 * The one thread that writes. Whatever is waiting when it turns to its queue goes into one transaction, each
 * call in a savepoint of its own, and nobody is answered before that transaction is on disk: group commit.
 */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

const { file } = await new Promise<{ file: string }>(resolve => {
  self.onmessage = event => resolve(event.data as { file: string });
  self.postMessage('started');
});

const database = openForWriting(file);
const db = queryBuilder(database);
const append = prepareAppend(database);
const queue: Call[] = [];
let working = false;

self.onmessage = event => {
  queue.push(event.data as Call);
  if (!working) void work();
};
self.postMessage('ready');

async function work(): Promise<void> {
  working = true;
  while (queue.length > 0) await commitTogether(queue.splice(0));
  working = false;
}

async function commitTogether(calls: Call[]): Promise<void> {
  const replies: Reply[] = [];
  try {
    database.run('BEGIN IMMEDIATE');
    for (const call of calls)
      replies.push(calls.length === 1 ? await perform(call) : await performApart(call));
    database.run('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.run('ROLLBACK');
    const failure = toFailure(error);
    for (const { id } of calls) self.postMessage({ id, failure } satisfies Reply);
    return;
  }
  for (const reply of replies) self.postMessage(reply);
}

async function perform(call: Call): Promise<Reply> {
  return { id: call.id, result: await run(call) };
}

/** One call that fails takes nothing of its neighbours with it, unless the disk itself failed. */
async function performApart(call: Call): Promise<Reply> {
  database.run('SAVEPOINT one');
  try {
    const reply = await perform(call);
    database.run('RELEASE one');
    return reply;
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== 'refused') throw error;
    database.run('ROLLBACK TO one');
    database.run('RELEASE one');
    return { id: call.id, failure };
  }
}

function run(call: Call): unknown {
  switch (call.name) {
    case 'append': {
      const requests = unpackAppend(call.args);
      return uncommonOf(requests, append(requests));
    }
    case 'check':
      // A commit that changes something, so that it fails while the disk is full.
      return database.run(
        `INSERT OR REPLACE INTO settings (name, value) VALUES ('checked', '${Date.now()}')`,
      );
    case 'close':
      return null;
    default:
      return (operations[call.name] as (db: unknown, ...args: readonly unknown[]) => unknown)(
        db,
        ...call.args,
      );
  }
}
