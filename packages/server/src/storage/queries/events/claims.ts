import { type SqlBool, sql } from 'kysely';
import type { EventQueue } from '../../../core/stores/event-queue.ts';
import { claimedColumns, toClaimedEvent } from '../../claimed-event.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { stillClaimed } from '../../still-claimed.ts';

/** Claims of events beside the first: how they are released, and how suspects are found and taken over. */

export const hasSuspects: Operation<EventQueue['hasSuspects']> = async db =>
  (await db.selectFrom('event_claims').select('event_id').where(isFree).limit(1).executeTakeFirst()) !==
  undefined;

/** As the indexes have it, which hold these alone. */
const isFree = sql<SqlBool>`token = ''`;
export const isBornClaimed = sql<SqlBool>`state = 'claimed'`;

export const claimSuspect: Operation<EventQueue['claimSuspect']> = async (db, token) => {
  for (;;) {
    const suspect = await db
      .selectFrom('event_claims')
      .selectAll()
      .where(isFree)
      .orderBy('tries')
      .orderBy('event_id')
      .limit(1)
      .executeTakeFirst();
    if (!suspect) return null;
    const tries = suspect.tries + 1;
    const taken = await db
      .updateTable('event_claims')
      .set({ token, tries })
      .where('org_id', '=', suspect.org_id)
      .where('event_id', '=', suspect.event_id)
      .where('job_id', '=', suspect.job_id)
      // Whoever was quicker has changed it.
      .where(isFree)
      .returning('event_id')
      .executeTakeFirst();
    if (!taken) continue;
    const row = await db
      .selectFrom('events')
      .select(claimedColumns)
      .where('org_id', '=', suspect.org_id)
      .where('id', '=', suspect.event_id)
      .executeTakeFirst();
    if (row) return toClaimedEvent(row, { token, tries, jobId: suspect.job_id, plan: suspect.plan });
    await endClaim(db, { ...suspect, token });
    // A replay is through with an event that is gone.
    await db
      .updateTable('jobs')
      .set(eb => ({ done: eb('done', '+', 1) }))
      .where('org_id', '=', suspect.org_id)
      .where('id', '=', suspect.job_id)
      .where('finished_at', 'is', null)
      .execute();
  }
};

const endClaim = (db: Db, claim: Schema['event_claims']) =>
  db
    .deleteFrom('event_claims')
    .where('org_id', '=', claim.org_id)
    .where('event_id', '=', claim.event_id)
    .where('job_id', '=', claim.job_id)
    .where('token', '=', claim.token)
    .executeTakeFirst();

export const releaseClaims: Operation<EventQueue['releaseClaims']> = async (db, tokens, now) => {
  if (tokens.length === 0) return;
  const claims = await db.selectFrom('event_claims').selectAll().where('token', 'in', tokens).execute();
  for (const claim of claims) {
    if (claim.tries > 1) {
      // Still under suspicion, but this try has not counted.
      await db
        .updateTable('event_claims')
        .set({ token: '', tries: claim.tries - 1 })
        .where('org_id', '=', claim.org_id)
        .where('event_id', '=', claim.event_id)
        .where('job_id', '=', claim.job_id)
        .where('token', '=', claim.token)
        .execute();
      continue;
    }
    const { numDeletedRows } = await endClaim(db, claim);
    // Its job was cancelled meanwhile, or somebody else has it.
    if (numDeletedRows === 0n) continue;
    if (claim.plan === null && claim.job_id === '') continue;
    await db
      .insertInto('parked_events')
      .values({
        org_id: claim.org_id,
        event_id: claim.event_id,
        job_id: claim.job_id,
        due_at: now,
        plan: claim.plan,
      })
      .execute();
  }
  await db
    .updateTable('events')
    .set({ state: 'accepted', claim_token: null })
    .where(isBornClaimed)
    .where('claim_token', 'in', tokens)
    .execute();
};

export const bringParkedForward: Operation<EventQueue['bringParkedForward']> = async (
  db,
  latest,
  now,
  limit,
) => {
  const { rows } = await sql<{ event_id: string }>`
    UPDATE parked_events SET due_at = ${now}
    WHERE (org_id, event_id, job_id) IN (
      SELECT parked.org_id, parked.event_id, parked.job_id FROM parked_events AS parked
      WHERE parked.due_at > ${now} AND (parked.due_at > ${latest} OR EXISTS (
        SELECT 1 FROM events
        WHERE events.org_id = parked.org_id AND events.id = parked.event_id AND events.received_at > ${now}))
      LIMIT ${limit})
    RETURNING event_id`.execute(db);
  return rows.length;
};

export const findBornClaimed: Operation<EventQueue['findBornClaimed']> = (db, claims) =>
  stillClaimed(claims, (orgId, ids) =>
    db
      .selectFrom('events')
      .select(['id', 'claim_token as token'])
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .execute(),
  );
