import type { ClaimedBatch, ClaimedEvent, ClaimInput, EventQueue } from '../../core/stores/event-queue.ts';
import { type ClaimedRow, claimedColumns, toClaimedEvent } from '../claimed-event.ts';
import { textArray } from './arrays.ts';
import { type ClaimedUpTo, createClaimedUpTo } from './claimed-up-to.ts';
import { retrying } from './failure.ts';
import type { Session, SessionPool } from './sessions.ts';

/** So many organisations share a batch. */
const MOST_ORGANISATIONS = 16;
const MOST_LOOKED_AT = 1_000;

const columns = claimedColumns.map(column => `event.${column}`).join(', ');

/** Asked of one event after another, by the index: as a join it would be planned by what the tables held long ago. */
const IS_FREE = `(SELECT claim.token FROM event_claims AS claim WHERE claim.org_id = event.org_id
  AND claim.event_id = event.id AND claim.job_id = '') IS NULL`;

/**
 * Organisations with something that can be claimed now, in turn from the one after $1, without a look at every event
 * they have: from each to the next by the index, so many at most.
 */
const FIND_ORGANISATIONS = `
  WITH RECURSIVE
  waiting (org_id, n) AS (
    (SELECT org_id, 1 FROM events WHERE state = 'accepted' AND org_id > $1 ORDER BY org_id LIMIT 1)
    UNION ALL
    SELECT (SELECT org_id FROM events WHERE state = 'accepted' AND org_id > waiting.org_id
            ORDER BY org_id LIMIT 1), n + 1
    FROM waiting WHERE waiting.org_id IS NOT NULL AND n < ${MOST_LOOKED_AT}),
  parked (org_id, n) AS (
    (SELECT org_id, 1 FROM parked_events WHERE org_id > $1 ORDER BY org_id LIMIT 1)
    UNION ALL
    SELECT (SELECT org_id FROM parked_events WHERE org_id > parked.org_id ORDER BY org_id LIMIT 1), n + 1
    FROM parked WHERE parked.org_id IS NOT NULL AND n < ${MOST_LOOKED_AT})
  SELECT org_id FROM (SELECT org_id FROM waiting UNION SELECT org_id FROM parked) AS found
  WHERE org_id IS NOT NULL AND org_id <> ALL ($3::text[]) AND (
    EXISTS (SELECT 1 FROM parked_events AS parked WHERE parked.org_id = found.org_id AND parked.due_at <= $2)
    OR EXISTS (SELECT 1 FROM events AS event WHERE event.state = 'accepted' AND event.org_id = found.org_id
      AND event.id > coalesce((SELECT claimed.upto FROM unnest($4::text[], $5::text[]) AS claimed (org_id, upto)
        WHERE claimed.org_id = found.org_id), '') AND ${IS_FREE}))
  ORDER BY org_id LIMIT ${MOST_ORGANISATIONS}`;

/** Nodes that claim at once pass over each other's rows; what one has just claimed the next one cannot insert. */
const CLAIM_WAITING = `
  WITH waiting AS (
    SELECT event.org_id, event.id, octet_length(event.payload) + coalesce(octet_length(event.headers), 0) AS bytes FROM events AS event
    WHERE event.state = 'accepted' AND event.org_id = $1 AND event.id > $4 AND ${IS_FREE}
    ORDER BY event.id LIMIT $2 FOR UPDATE SKIP LOCKED),
  fitting AS (SELECT org_id, id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM waiting)
  INSERT INTO event_claims (org_id, event_id, job_id, token, tries, plan)
  SELECT org_id, id, '', $5, 1, NULL FROM fitting WHERE before < $3
  ON CONFLICT DO NOTHING RETURNING event_id, job_id, plan`;

const CLAIM_PARKED = `
  WITH due AS (
    SELECT org_id, event_id, job_id, due_at, COALESCE((
      SELECT octet_length(event.payload) + coalesce(octet_length(event.headers), 0) FROM events AS event
      WHERE event.org_id = parked.org_id AND event.id = parked.event_id), 0) AS bytes
    FROM parked_events AS parked
    WHERE org_id = $1 AND due_at <= $2 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED),
  fitting AS (
    SELECT org_id, event_id, job_id, sum(bytes) OVER (ORDER BY due_at, event_id, job_id) - bytes AS before
    FROM due),
  taken AS (
    DELETE FROM parked_events AS parked USING fitting
    WHERE parked.org_id = fitting.org_id AND parked.event_id = fitting.event_id
      AND parked.job_id = fitting.job_id AND fitting.before < $4
    RETURNING parked.org_id, parked.event_id, parked.job_id, parked.plan)
  INSERT INTO event_claims (org_id, event_id, job_id, token, tries, plan)
  SELECT org_id, event_id, job_id, $5, 1, plan FROM taken
  ON CONFLICT DO NOTHING RETURNING event_id, job_id, plan`;

const FIND_EVENTS = `
  SELECT ${columns} FROM events AS event
  WHERE event.org_id = $1 AND event.id = ANY ($2::text[]) AND event.erased_at IS NULL ORDER BY event.id`;

const ADVANCE_JOB = 'UPDATE jobs SET done = done + 1 WHERE org_id = $1 AND id = $2 AND finished_at IS NULL';

interface Claim {
  readonly event_id: string;
  readonly job_id: string;
  readonly plan: string | null;
}

/** Claims events on PostgreSQL: organisations take turns, and nodes pass over what another has claimed. */
export function createClaim(sessions: SessionPool): EventQueue['claimEvents'] {
  const claimed = createClaimedUpTo();
  return input => retrying(() => sessions.transaction(session => claimEvents(session, input, claimed)));
}

async function claimEvents(session: Session, input: ClaimInput, claimed: ClaimedUpTo): Promise<ClaimedBatch> {
  claimed.lookBack(input.now);
  let organisations = await organisationsFrom(session, input, claimed);
  if (organisations.length === 0 && claimed.forget(input.except)) {
    organisations = await organisationsFrom(session, input, claimed);
  }
  const events: ClaimedEvent[] = [];
  let room = input.bytes;

  async function take(orgId: string, statement: string, values: readonly unknown[]): Promise<number> {
    const { rows: claims } = await session.query<Claim & Record<string, unknown>>(statement, [
      orgId,
      ...values,
      input.token,
    ]);
    if (claims.length === 0) return 0;
    const found = await session.query<ClaimedRow>(FIND_EVENTS, [
      orgId,
      textArray([...new Set(claims.map(({ event_id }) => event_id))]),
    ]);
    const rows = new Map(found.rows.map(row => [row.id, row]));
    for (const { event_id, job_id, plan } of claims) {
      const row = rows.get(event_id);
      if (row === undefined) {
        // Past its time and gone, or erased: a replay is through with it.
        await session.query('DELETE FROM event_claims WHERE org_id = $1 AND event_id = $2', [
          orgId,
          event_id,
        ]);
        await session.query(ADVANCE_JOB, [orgId, job_id]);
        continue;
      }
      events.push(toClaimedEvent(row, { token: input.token, tries: 1, jobId: job_id, plan }));
      room -= row.payload.length + (row.headers?.length ?? 0);
    }
    return claims.length;
  }

  let hungry = organisations;
  while (hungry.length > 0 && events.length < input.limit && room > 0) {
    const share = Math.max(1, Math.floor((input.limit - events.length) / hungry.length));
    const hungrier: string[] = [];
    for (const orgId of hungry) {
      const wanted = Math.min(share, input.limit - events.length);
      if (wanted <= 0 || room <= 0) break;
      const parked = await take(orgId, CLAIM_PARKED, [input.now, wanted, room]);
      const after = claimed.of(orgId);
      const waiting = parked < wanted ? await take(orgId, CLAIM_WAITING, [wanted - parked, room, after]) : 0;
      const hasMore = parked + waiting >= wanted;
      if (hasMore) hungrier.push(orgId);
      const last = events.at(-1);
      claimed.keep(orgId, hasMore && waiting > 0 && last?.orgId === orgId ? last.event.id : undefined);
    }
    hungry = hungrier;
  }
  return { events, after: organisations.at(-1) ?? input.after };
}

/** From the one after `after` and once around. */
async function organisationsFrom(
  session: Session,
  { after, now, except }: ClaimInput,
  claimed: ClaimedUpTo,
): Promise<string[]> {
  const known = claimed.all();
  const find = async (from: string) =>
    (
      await session.query<{ org_id: string }>(FIND_ORGANISATIONS, [
        from,
        now,
        textArray(except),
        textArray(known.map(([orgId]) => orgId)),
        textArray(known.map(([, upTo]) => upTo)),
      ])
    ).rows.map(row => row.org_id);
  const found = await find(after);
  if (after !== '' && found.length < MOST_ORGANISATIONS) {
    found.push(...(await find('')).filter(id => id <= after));
  }
  return found.slice(0, MOST_ORGANISATIONS);
}
