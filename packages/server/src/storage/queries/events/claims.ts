import type { EventQueue } from '../../../core/stores/event-queue.ts';
import { claimedColumns, toClaimedEvent } from '../../claimed-event.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';

/** Leases of events: how claims are extended, released, found expired and taken over. */

export const hasExpiredClaims: Operation<EventQueue['hasExpiredClaims']> = async (db, now) =>
  (await db
    .selectFrom('event_claims')
    .select('event_id')
    .where('until', '<=', now)
    .limit(1)
    .executeTakeFirst()) !== undefined;

export const claimExpired: Operation<EventQueue['claimExpired']> = async (db, { token, now, leaseMs }) => {
  for (;;) {
    const expired = await db
      .selectFrom('event_claims')
      .selectAll()
      .where('until', '<=', now)
      .orderBy('tries')
      .orderBy('event_id')
      .limit(1)
      .executeTakeFirst();
    if (!expired) return null;
    const tries = expired.tries + 1;
    const taken = await db
      .updateTable('event_claims')
      .set({ token, until: now + leaseMs, tries })
      .where('org_id', '=', expired.org_id)
      .where('event_id', '=', expired.event_id)
      .where('job_id', '=', expired.job_id)
      // Whoever was quicker has changed it.
      .where('token', '=', expired.token)
      .where('until', '=', expired.until)
      .returning('event_id')
      .executeTakeFirst();
    if (!taken) continue;
    const row = await db
      .selectFrom('events')
      .select(claimedColumns)
      .where('org_id', '=', expired.org_id)
      .where('id', '=', expired.event_id)
      .executeTakeFirst();
    if (row) return toClaimedEvent(row, { token, tries, jobId: expired.job_id, plan: expired.plan });
    await endClaim(db, expired);
    // A replay is through with an event that is gone.
    await db
      .updateTable('jobs')
      .set(eb => ({ done: eb('done', '+', 1) }))
      .where('org_id', '=', expired.org_id)
      .where('id', '=', expired.job_id)
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
    .executeTakeFirst();

export const extendClaims: Operation<EventQueue['extendClaims']> = async (db, tokens, until) => {
  if (tokens.length === 0) return;
  await db.updateTable('event_claims').set({ until }).where('token', 'in', tokens).execute();
};

export const releaseClaims: Operation<EventQueue['releaseClaims']> = async (db, tokens, now) => {
  if (tokens.length === 0) return;
  const claims = await db.selectFrom('event_claims').selectAll().where('token', 'in', tokens).execute();
  for (const claim of claims) {
    if (claim.tries > 1) {
      // Still under suspicion, but this try has not counted.
      await db
        .updateTable('event_claims')
        .set({ until: 0, tries: claim.tries - 1 })
        .where('org_id', '=', claim.org_id)
        .where('event_id', '=', claim.event_id)
        .where('job_id', '=', claim.job_id)
        .where('token', '=', claim.token)
        .execute();
      continue;
    }
    const { numDeletedRows } = await endClaim(db, claim);
    // Its job was cancelled meanwhile.
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
};

export const expireClaims: Operation<EventQueue['expireClaims']> = async (db, tokenPrefix) => {
  await db
    .updateTable('event_claims')
    .set({ until: 0 })
    .where('token', '>=', tokenPrefix)
    .where('token', '<', `${tokenPrefix}\u{FFFF}`)
    .execute();
};
