import type { Database } from 'bun:sqlite';
import type { ClaimedBatch, ClaimedEvent, ClaimWish } from '../../core/ports-storage-pipeline.ts';
import { type ClaimedRow, claimedColumns, toClaimedEvent } from '../claimed-event.ts';

/** So many organisations share a batch. */
const MOST_ORGANISATIONS = 16;

type ParkedRow = { [Column in keyof ClaimedRow]: ClaimedRow[Column] | null } & {
  parked_event_id: string;
  job_id: string;
  plan: string | null;
};

/** Runs inside the writer's transaction, so that what it reads nobody else can claim. */
export function prepareClaim(database: Database): (wish: ClaimWish) => ClaimedBatch {
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
    `INSERT INTO event_claims (org_id, event_id, job_id, token, until, tries, plan)
     VALUES (?, ?, ?, ?, ?, 1, ?)`,
  );

  function nextOrganisation(after: string): string | null {
    const [waiting, parked] = [nextWaiting.get(after)?.org_id, nextParked.get(after)?.org_id];
    if (waiting === undefined || parked === undefined) return waiting ?? parked ?? null;
    return waiting < parked ? waiting : parked;
  }

  /** Those with something to do, from the one after `after` and once around. */
  function organisationsFrom(after: string, except: readonly string[]): string[] {
    const found: string[] = [];
    let wrapped = false;
    for (let at = after; found.length < MOST_ORGANISATIONS; ) {
      const next: string | null = nextOrganisation(at);
      if (next === null || (wrapped && next > after)) {
        if (wrapped || after === '') return found;
        wrapped = true;
        at = '';
        continue;
      }
      if (!except.includes(next)) found.push(next);
      at = next;
    }
    return found;
  }

  return wish => {
    const { token, now, limit, bytes } = wish;
    const until = now + wish.leaseMs;
    const organisations = organisationsFrom(wish.after, wish.except);
    const events: ClaimedEvent[] = [];
    let room = bytes;

    function takeParked(orgId: string, share: number): number {
      let taken = 0;
      for (const row of findParked.iterate(orgId, now, share)) {
        if (room <= 0) break;
        taken++;
        unpark.run(orgId, row.parked_event_id, row.job_id);
        // Its event is past its time and gone.
        if (row.id === null) continue;
        claim.run(orgId, row.parked_event_id, row.job_id, token, until, row.plan);
        const terms = { token, tries: 1, jobId: row.job_id, plan: row.plan };
        events.push(toClaimedEvent(row as ClaimedRow, terms));
        room -= events.at(-1)?.payload.length ?? 0;
      }
      return taken;
    }

    function takeWaiting(orgId: string, share: number): number {
      const rows: ClaimedRow[] = [];
      for (const row of findWaiting.iterate(orgId, share)) {
        if (room <= 0) break;
        rows.push(row);
        room -= row.payload.length;
      }
      for (const row of rows) {
        claim.run(orgId, row.id, '', token, until, null);
        events.push(toClaimedEvent(row, { token, tries: 1, jobId: '', plan: null }));
      }
      return rows.length;
    }

    let hungry = organisations;
    while (hungry.length > 0 && events.length < limit && room > 0) {
      const share = Math.max(1, Math.floor((limit - events.length) / hungry.length));
      hungry = hungry.filter(orgId => {
        const wanted = Math.min(share, limit - events.length);
        if (wanted <= 0) return false;
        const parked = takeParked(orgId, wanted);
        return parked + (parked < wanted ? takeWaiting(orgId, wanted - parked) : 0) >= wanted;
      });
    }
    return { events, after: organisations.at(-1) ?? '' };
  };
}
