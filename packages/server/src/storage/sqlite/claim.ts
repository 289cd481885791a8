import type { Database } from 'bun:sqlite';
import type { ClaimedBatch, ClaimedEvent, ClaimInput } from '../../core/stores/event-queue.ts';
import { type ClaimedRow, claimedColumns, toClaimedEvent } from '../claimed-event.ts';

/** So many organisations share a batch. */
const MOST_ORGANISATIONS = 16;

type ParkedRow = { [Column in keyof ClaimedRow]: ClaimedRow[Column] | null } & {
  parked_event_id: string;
  job_id: string;
  plan: string | null;
};

/** Claims events inside the writer's transaction, so that what it reads nobody else can claim. */
export function prepareClaim(database: Database): (input: ClaimInput) => ClaimedBatch {
  const nextWaiting = database.prepare<{ org_id: string }, [string]>(
    `SELECT org_id FROM events INDEXED BY events_waiting
     WHERE state = 'accepted' AND org_id > ? ORDER BY org_id LIMIT 1`,
  );
  const nextParked = database.prepare<{ org_id: string }, [string]>(
    'SELECT org_id FROM parked_events WHERE org_id > ? ORDER BY org_id LIMIT 1',
  );
  const columns = claimedColumns.map(column => `event.${column}`).join(', ');
  const findWaiting = database.prepare<ClaimedRow, [string, number]>(
    `SELECT ${columns} FROM events AS event INDEXED BY events_waiting
     WHERE event.state = 'accepted' AND event.org_id = ? AND NOT EXISTS (
       SELECT 1 FROM event_claims AS claim
       WHERE claim.org_id = event.org_id AND claim.event_id = event.id AND claim.job_id = '')
     ORDER BY event.id LIMIT ?`,
  );
  const findParked = database.prepare<ParkedRow, [string, number, number]>(
    `SELECT ${columns}, parked.event_id AS parked_event_id, parked.job_id, parked.plan
     FROM parked_events AS parked LEFT JOIN events AS event
       ON event.org_id = parked.org_id AND event.id = parked.event_id AND event.erased_at IS NULL
     WHERE parked.org_id = ? AND parked.due_at <= ? ORDER BY parked.due_at LIMIT ?`,
  );
  const unpark = database.prepare(
    'DELETE FROM parked_events WHERE org_id = ? AND event_id = ? AND job_id = ?',
  );
  const claim = database.prepare(
    `INSERT INTO event_claims (org_id, event_id, job_id, token, tries, plan)
     VALUES (?, ?, ?, ?, 1, ?)`,
  );

  const advance = database.prepare(
    'UPDATE jobs SET done = done + 1 WHERE org_id = ? AND id = ? AND finished_at IS NULL',
  );

  function nextOrganisation(after: string): string | null {
    const [waiting, parked] = [nextWaiting.get(after)?.org_id, nextParked.get(after)?.org_id];
    if (waiting === undefined || parked === undefined) return waiting ?? parked ?? null;
    return waiting < parked ? waiting : parked;
  }

  /** Every organisation with something waiting, from the one after `after` and once around. */
  function* organisationsFrom(after: string): Generator<string> {
    for (let next = nextOrganisation(after); next !== null; next = nextOrganisation(next)) yield next;
    if (after === '') return;
    for (let next = nextOrganisation(''); next !== null && next <= after; next = nextOrganisation(next)) {
      yield next;
    }
  }

  return input => {
    const { token, now, limit, bytes } = input;
    const events: ClaimedEvent[] = [];
    let room = bytes;

    function takeParked(orgId: string, share: number): number {
      // Read before anything is removed: a walk through rows that change under it is nobody's promise.
      const rows: ParkedRow[] = [];
      for (const row of findParked.iterate(orgId, now, share)) {
        if (room <= 0) break;
        rows.push(row);
        room -= (row.payload?.length ?? 0) + (row.headers?.length ?? 0);
      }
      for (const row of rows) {
        unpark.run(orgId, row.parked_event_id, row.job_id);
        // Its event is past its time and gone, or erased: a replay is through with it.
        if (row.id === null) {
          advance.run(orgId, row.job_id);
          continue;
        }
        claim.run(orgId, row.parked_event_id, row.job_id, token, row.plan);
        const terms = { token, tries: 1, jobId: row.job_id, plan: row.plan };
        events.push(toClaimedEvent(row as ClaimedRow, terms));
      }
      return rows.length;
    }

    function takeWaiting(orgId: string, share: number): number {
      const rows: ClaimedRow[] = [];
      for (const row of findWaiting.iterate(orgId, share)) {
        if (room <= 0) break;
        rows.push(row);
        room -= row.payload.length + (row.headers?.length ?? 0);
      }
      for (const row of rows) {
        claim.run(orgId, row.id, '', token, null);
        events.push(toClaimedEvent(row, { token, tries: 1, jobId: '', plan: null }));
      }
      return rows.length;
    }

    /** Whether it may have more. */
    function take(orgId: string, share: number): boolean {
      const wanted = Math.min(share, limit - events.length);
      const parked = takeParked(orgId, wanted);
      return parked + (parked < wanted ? takeWaiting(orgId, wanted - parked) : 0) >= wanted;
    }

    const isFull = () => events.length >= limit || room <= 0;
    let after = input.after;
    let served = 0;
    let hungry: string[] = [];
    // Once around, a small share for each: who has nothing that could be claimed now costs a look.
    for (const orgId of organisationsFrom(input.after)) {
      if (isFull() || served >= MOST_ORGANISATIONS) break;
      after = orgId;
      if (input.except.includes(orgId)) continue;
      const before = events.length;
      if (take(orgId, Math.ceil(limit / MOST_ORGANISATIONS))) hungry.push(orgId);
      if (events.length > before) served++;
    }
    // What is left of the batch is shared by those who have more.
    while (hungry.length > 0 && !isFull()) {
      const share = Math.ceil((limit - events.length) / hungry.length);
      hungry = hungry.filter(orgId => !isFull() && take(orgId, share));
    }
    return { events, after };
  };
}
