import type { AppendRequest, AppendResult, Journal } from '../../core/stores/journal.ts';
import { claimKeys, type Holder, rewriteKeys } from './claim-keys.ts';
import { retrying } from './failure.ts';
import type { Session, SessionPool } from './sessions.ts';
import { type IncomingEvent, insertEvents, storeEvents } from './store-events.ts';

/**
 * Many requests in one transaction, with one statement per table. Keys are claimed first, then events with a
 * sender's id are stored, both in sorted order: two nodes that want the same ones queue up and cannot wait for
 * each other. Whoever waited finds what the first has committed, and answers with it.
 */
export function createAppend(sessions: SessionPool): Journal['append'] {
  return requests =>
    retrying(() =>
      requests.every(isPlain)
        ? appendPlainly(sessions, requests)
        : sessions.transaction(session => appendChecked(session, requests)),
    );
}

/** Nothing in it can have been here before. */
const isPlain = (request: AppendRequest): boolean =>
  request.idempotency === null && request.events.every(event => event.senderId === null);

/** A single statement is a transaction by itself. */
async function appendPlainly(
  sessions: SessionPool,
  requests: readonly AppendRequest[],
): Promise<AppendResult[]> {
  const rows = requests.map(rowsOf);
  const session = await sessions.acquire();
  try {
    await insertEvents(session, rows.flat());
    await session.confirm();
  } finally {
    session.release();
  }
  return rows.map(toResult);
}

async function appendChecked(session: Session, requests: readonly AppendRequest[]): Promise<AppendResult[]> {
  const holders = await claimKeys(session, requests);
  const rows = requests.map((request, index) => (holders[index] === null ? rowsOf(request) : []));
  await storeEvents(session, rows.flat());
  await rewriteKeys(
    session,
    requests.flatMap((request, index) => changedIds(request, rows[index] ?? [])),
  );
  const results = rows.map(toResult);
  return requests.map((request, index) => {
    const holder = holders[index];
    return holder ? answerOf(holder, request, results) : (results[index] as AppendResult);
  });
}

const rowsOf = (request: AppendRequest): IncomingEvent[] =>
  request.events.map((event, position) => ({
    request,
    event,
    position,
    outcome: { id: event.id, duplicate: false },
  }));

const toResult = (rows: readonly IncomingEvent[]): AppendResult => ({
  kind: 'stored',
  events: rows.map(({ outcome }) => outcome),
});

/** The key was claimed with the ids that its events would have; some of them were here before under another. */
function changedIds({ idempotency }: AppendRequest, rows: readonly IncomingEvent[]) {
  if (idempotency === null || !rows.some(({ outcome }) => outcome.duplicate)) return [];
  return [{ claim: idempotency, eventIds: rows.map(({ outcome }) => outcome.id) }];
}

function answerOf(holder: Holder, request: AppendRequest, results: readonly AppendResult[]): AppendResult {
  if (holder.bodyHash !== request.idempotency?.bodyHash) return { kind: 'conflict' };
  if (holder.kind === 'before') {
    return { kind: 'stored', events: holder.eventIds.map(id => ({ id, duplicate: true })) };
  }
  const first = results[holder.index];
  return first?.kind === 'stored'
    ? { kind: 'stored', events: first.events.map(({ id }) => ({ id, duplicate: true })) }
    : { kind: 'conflict' };
}
