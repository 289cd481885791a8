import { perform as performOperation } from '../operations.ts';
import { prepareAppend } from './append.ts';
import { prepareClaim } from './claim.ts';
import { prepareClaimDeliveries, prepareRecordAttempts } from './deliver.ts';
import { prepareWriteEntities } from './entities.ts';
import { openForWriting, queryBuilder } from './open.ts';
import { unpackAttempts } from './pack-attempts.ts';
import { packClaims, unpackSettlements } from './pack-claims.ts';
import { packEntityResults, unpackEntityWrites } from './pack-entities.ts';
import {
  type Call,
  type Failure,
  type PackedAppend,
  type Reply,
  toFailure,
  uncommonOf,
  unpackAppend,
} from './protocol.ts';
import { prepareSettle } from './settle.ts';

/**
 * The one thread that writes. Whatever is waiting when it turns to its queue goes into one transaction, each
 * job in a savepoint of its own, and nobody is answered before that transaction is on disk: group commit.
 */
declare const self: Worker & { onmessage: (event: MessageEvent) => void };

const { file } = await new Promise<{ file: string }>(resolve => {
  self.onmessage = event => resolve(event.data as { file: string });
  self.postMessage('started');
});

const database = openForWriting(file);
const db = queryBuilder(database);
const append = prepareAppend(database);
const claim = prepareClaim(database);
const settle = prepareSettle(database);
const claimDeliveries = prepareClaimDeliveries(database);
const recordAttempts = prepareRecordAttempts(database);
const writeEntities = prepareWriteEntities(database);
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const mark = database.prepare('SAVEPOINT one');
const keep = database.prepare('RELEASE one');

/** Something to do within the transaction, and whom to answer after it. */
interface Job {
  readonly id: number;
  run(): unknown;
}

const queue: Job[] = [];
let isDue = false;
/** The fault after which nothing may be written any more, however the disk behaves by then. */
let fatal: Failure | null = null;

self.onmessage = event => {
  const message = event.data as Call | PackedAppend;
  queue.push(typeof message === 'string' ? appendJob(message) : { id: message.id, run: () => run(message) });
  if (isDue) return;
  isDue = true;
  // Whatever came in while the last transaction was being flushed is read first, and shares the next.
  setImmediate(work);
};
self.postMessage('ready');

async function work(): Promise<void> {
  await commitTogether(queue.splice(0));
  isDue = queue.length > 0;
  if (isDue) setImmediate(work);
}

async function commitTogether(jobs: Job[]): Promise<void> {
  const replies: Reply[] = [];
  if (fatal !== null) return refuse(jobs, fatal);
  try {
    begin.run();
    for (const job of jobs) replies.push(jobs.length === 1 ? await perform(job) : await performApart(job));
    commit.run();
  } catch (error) {
    if (database.inTransaction) database.run('ROLLBACK');
    const failure = toFailure(error);
    if (failure.kind === 'fatal') fatal = failure;
    return refuse(jobs, failure);
  }
  for (const reply of replies) self.postMessage(reply);
}

function refuse(jobs: readonly Job[], failure: Failure): void {
  for (const { id } of jobs) self.postMessage({ id, failure } satisfies Reply);
}

async function perform(job: Job): Promise<Reply> {
  return { id: job.id, result: await job.run() };
}

/** One job that fails takes nothing of its neighbours with it, unless the disk itself failed. */
async function performApart(job: Job): Promise<Reply> {
  mark.run();
  try {
    const reply = await perform(job);
    keep.run();
    return reply;
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== 'refused') throw error;
    database.run('ROLLBACK TO one');
    keep.run();
    return { id: job.id, failure };
  }
}

function appendJob(packed: PackedAppend): Job {
  const { id, requests } = unpackAppend(packed);
  return { id, run: () => uncommonOf(requests, append(requests)) };
}

function run(call: Call): unknown {
  switch (call.name) {
    case 'check':
      // A commit that changes something, so that it fails while the disk is full.
      return database.run(
        `INSERT OR REPLACE INTO settings (name, value) VALUES ('checked', '${Date.now()}')`,
      );
    case 'close':
      return null;
    case 'claimEvents':
      return packClaims(claim(...(call.args as Parameters<typeof claim>)));
    case 'settleEvents':
      return JSON.stringify(settle(unpackSettlements(call.args[0] as string), call.args[1] as number));
    case 'claimDeliveries':
      return claimDeliveries(...(call.args as Parameters<typeof claimDeliveries>));
    case 'recordAttempts':
      return recordAttempts(unpackAttempts(call.args[0] as string));
    case 'writeEntities': {
      const requests = unpackEntityWrites(call.args[0] as string);
      return packEntityResults(requests, writeEntities(requests));
    }
    default:
      return performOperation(db, call.name, call.args);
  }
}
