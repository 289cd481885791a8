import type { EventState } from '../../core/event/event.ts';
import { CLAIMED, DEFERRED, stateAfter } from '../../core/event/state.ts';
import type { EventQueue, Settlement, SettleResult } from '../../core/stores/event-queue.ts';
import { dueAtOf } from '../claimed-event.ts';
import { keptOutput, keptTrace } from '../kept-run.ts';
import { lateEvents } from '../late-counts.ts';
import { KNOWN_RUN, type KnownRun, repeatedRuns, stateOfRuns } from '../repeated-runs.ts';
import { resolvedBy } from '../resolving.ts';
import { type Made, type SettledStates, settledBefore, settledResult } from '../settled-result.ts';
import { bigintArray, textArray } from './arrays.ts';
import { countLate } from './count-late.ts';
import { retrying } from './failure.ts';
import type { Session, SessionPool } from './sessions.ts';
import { addDeliveries, isTogether, type RunRow } from './settle-deliveries.ts';
import { keepDedupeKeys } from './settle-keys.ts';
import { findNeedless, inTurns } from './settle-retries.ts';

/**
 * Many events in one transaction, with one statement per table. Claims are locked first: whose claim another node
 * has taken over is refused. Dedupe keys come next; whoever lost one is left as it was, for its run to be cut. Where
 * no more than that is asked, as mostly, the claim is ended in place of being locked first.
 */
export function createSettle(sessions: SessionPool): EventQueue['settleEvents'] {
  return (settlements, at) =>
    retrying(() =>
      sessions.transaction(async session => {
        const results = new Map<Settlement, SettleResult>();
        for (const turn of inTurns(settlements)) {
          const settled = await settleEvents(session, turn, at);
          for (const [i, result] of settled.entries()) results.set(turn[i] as Settlement, result);
        }
        const inOrder = settlements.map(settlement => results.get(settlement) as SettleResult);
        await countLate(session, lateEvents(settlements, inOrder));
        return inOrder;
      }),
    );
}

async function settleEvents(
  session: Session,
  settlements: readonly Settlement[],
  at: number,
): Promise<SettleResult[]> {
  const isCertain = settlements.every(isSettledOnceOwned);
  const owned = await (isCertain ? endOwn : lockOwn)(session, settlements);
  const ours = settlements.filter(settlement => owned.has(nameOf(settlement)));
  const needless = await findNeedless(session, ours);
  const needed = ours.filter(settlement => !needless.has(settlement));
  const lost = await keepDedupeKeys(session, needed, at);
  const settled = needed.filter(settlement => !lost.has(settlement));
  const made = await addRuns(session, settled, at);
  await resolveEarlier(session, settled);
  const states = await setStates(session, settled, isCertain ? 'taken' : 'all');
  if (!isCertain) await endClaims(session, settled, 'all');
  await park(session, settled);
  await countTallies(session, settled);
  await advanceJobs(session, settled);
  return settlements.map(
    settlement =>
      needless.get(settlement) ??
      lost.get(settlement) ??
      (owned.has(nameOf(settlement))
        ? settledResult(
            settlement,
            made.get(settlement) ?? nothingMade,
            states.get(settlement) ?? { state: null },
            at,
          )
        : { kind: 'refused' }),
  );
}

const nothingMade: Made = { deliveries: 0, claimed: [], replayed: 0, gone: [] };

/** Ids have no line breaks. */
const nameOf = (claim: Pick<Settlement, 'orgId' | 'eventId' | 'jobId'>): string =>
  `${claim.orgId}\n${claim.eventId}\n${claim.jobId ?? ''}`;

const claimArrays = (settlements: readonly Settlement[]): Buffer[] => [
  textArray(settlements.map(({ orgId }) => orgId)),
  textArray(settlements.map(({ eventId }) => eventId)),
  textArray(settlements.map(({ jobId }) => jobId ?? '')),
];

/** Nothing that is found once its claim is known to hold can keep it from being settled. */
const isSettledOnceOwned = ({ retryOf, runs }: Settlement): boolean =>
  retryOf === undefined && runs.every(({ claims }) => claims.length === 0);

/** In the order in which erasing and freeing take them, here and below. */
async function endOwn(session: Session, settlements: readonly Settlement[]): Promise<Set<string>> {
  const taken = await endClaims(session, settlements, 'own');
  const born = await writeStates(session, settlements.filter(isBornClaimed), 'own');
  return new Set([...taken, ...born]);
}

const isBornClaimed = (settlement: Settlement): boolean => settlement.isBornClaimed === true;

async function lockOwn(session: Session, settlements: readonly Settlement[]): Promise<Set<string>> {
  const born = settlements.filter(({ isBornClaimed }) => isBornClaimed);
  const taken = settlements.filter(({ isBornClaimed }) => !isBornClaimed);
  return new Set([...(await lockClaims(session, taken)), ...(await lockBornClaimed(session, born))]);
}

async function lockBornClaimed(session: Session, settlements: readonly Settlement[]): Promise<string[]> {
  if (settlements.length === 0) return [];
  const { rows } = await session.query<{ org_id: string; id: string }>(
    // By their ids, and not by the index of claimed ones, which a whole batch shares a token in: it serves no IS NOT DISTINCT.
    `SELECT event.org_id, event.id
     FROM unnest($1::text[], $2::text[], $3::text[]) AS mine (org_id, id, token)
     JOIN events AS event ON event.org_id = mine.org_id AND event.id = mine.id
       AND event.state IS NOT DISTINCT FROM '${CLAIMED}' AND event.claim_token = mine.token
     ORDER BY event.org_id, event.id FOR UPDATE OF event`,
    [
      textArray(settlements.map(({ orgId }) => orgId)),
      textArray(settlements.map(({ eventId }) => eventId)),
      textArray(settlements.map(({ token }) => token)),
    ],
  );
  return rows.map(row => nameOf({ orgId: row.org_id, eventId: row.id, jobId: null }));
}

async function lockClaims(session: Session, settlements: readonly Settlement[]): Promise<string[]> {
  if (settlements.length === 0) return [];
  const { rows } = await session.query<{ org_id: string; event_id: string; job_id: string }>(
    `SELECT claim.org_id, claim.event_id, claim.job_id
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS mine (org_id, event_id, job_id, token)
     JOIN event_claims AS claim ON claim.org_id = mine.org_id AND claim.event_id = mine.event_id
       AND claim.job_id = mine.job_id AND claim.token = mine.token
     ORDER BY claim.org_id, claim.event_id, claim.job_id FOR UPDATE OF claim`,
    [...claimArrays(settlements), textArray(settlements.map(({ token }) => token))],
  );
  return rows.map(row => nameOf({ orgId: row.org_id, eventId: row.event_id, jobId: row.job_id }));
}

/** One that was born claimed ends with its state. Answers which were ended. */
async function endClaims(
  session: Session,
  settlements: readonly Settlement[],
  which: 'all' | 'own',
): Promise<string[]> {
  const taken = settlements.filter(settlement => !isBornClaimed(settlement)).toSorted(byName);
  if (taken.length === 0) return [];
  const { rows } = await session.query<{ org_id: string; event_id: string; job_id: string }>(
    `DELETE FROM event_claims AS claim
     USING unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS mine (org_id, event_id, job_id, token)
     WHERE claim.org_id = mine.org_id AND claim.event_id = mine.event_id AND claim.job_id = mine.job_id
       ${which === 'all' ? '' : 'AND claim.token = mine.token'}
     RETURNING claim.org_id, claim.event_id, claim.job_id`,
    [...claimArrays(taken), textArray(taken.map(({ token }) => token))],
  );
  return rows.map(row => nameOf({ orgId: row.org_id, eventId: row.event_id, jobId: row.job_id }));
}

const byName = (a: Settlement, b: Settlement): number => (nameOf(a) < nameOf(b) ? -1 : 1);

async function addRuns(
  session: Session,
  settlements: readonly Settlement[],
  at: number,
): Promise<Map<Settlement, Made>> {
  const rows = settlements.flatMap(settlement =>
    settlement.runs.map((run, position): RunRow => {
      const made = { deliveries: 0, claimed: [], replayed: 0, gone: [] };
      const [output, trace] = [keptOutput(run), keptTrace(run)];
      return { settlement, run, position, notes: [...run.notes], made, output, trace };
    }),
  );
  const made = new Map<Settlement, Made>();
  if (rows.length === 0) return made;
  await addDeliveries(session, rows, at);
  await addRows(
    session,
    rows.filter(row => !isTogether(row)),
    at,
  );
  for (const { settlement, made: one } of rows) {
    const { deliveries, claimed, replayed, gone } = made.get(settlement) ?? nothingMade;
    made.set(settlement, {
      deliveries: deliveries + one.deliveries,
      claimed: [...claimed, ...one.claimed],
      replayed: replayed + one.replayed,
      gone: [...gone, ...one.gone],
    });
  }
  return made;
}

async function addRows(session: Session, rows: readonly RunRow[], at: number): Promise<void> {
  if (rows.length === 0) return;
  await session.query(
    `INSERT INTO runs (id, org_id, event_id, pipeline_id, pipeline_name, version, outcome, failed_step, reason,
       output, trace, notes, replay_job_id, source_name, created_at)
     SELECT id, org_id, event_id, pipeline_id, pipeline_name, version, outcome, NULLIF(failed_step, -1), reason,
       output, trace, notes, job_id, source_name, $15
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[],
       $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])
     AS new (id, org_id, event_id, pipeline_id, pipeline_name, version, outcome, failed_step, reason, output,
       trace, notes, job_id, source_name)`,
    [
      textArray(rows.map(({ run }) => run.id)),
      textArray(rows.map(({ settlement }) => settlement.orgId)),
      textArray(rows.map(({ settlement }) => settlement.eventId)),
      textArray(rows.map(({ run }) => run.pipelineId)),
      textArray(rows.map(({ run }) => run.pipelineName)),
      bigintArray(rows.map(({ run }) => run.version)),
      textArray(rows.map(({ run }) => run.outcome)),
      bigintArray(rows.map(({ run }) => run.step ?? -1)),
      textArray(rows.map(({ run }) => run.reason)),
      textArray(rows.map(({ output }) => output)),
      textArray(rows.map(({ trace }) => trace)),
      textArray(rows.map(({ notes }) => (notes.length > 0 ? JSON.stringify(notes) : null))),
      textArray(rows.map(({ settlement }) => settlement.jobId ?? '')),
      textArray(rows.map(({ run }) => run.sourceName)),
      at,
    ],
  );
}

async function resolveEarlier(session: Session, settlements: readonly Settlement[]): Promise<void> {
  const better = settlements.flatMap(settlement =>
    resolvedBy(settlement).map(resolved => ({ ...resolved, ...settlement })),
  );
  if (better.length === 0) return;
  await session.query(
    `UPDATE runs AS earlier SET mended = 1
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS better (org_id, event_id, pipeline_id, below)
     WHERE earlier.org_id = better.org_id AND earlier.event_id = better.event_id
       AND earlier.pipeline_id = better.pipeline_id AND earlier.outcome = 'failed' AND earlier.id < better.below`,
    [
      textArray(better.map(({ orgId }) => orgId)),
      textArray(better.map(({ eventId }) => eventId)),
      textArray(better.map(({ pipelineId }) => pipelineId)),
      textArray(better.map(({ below }) => below)),
    ],
  );
}

/** Null where it waits for a run to be tried again. */
const lastStateOf = ({ runs, parked }: Settlement): EventState | null =>
  parked.length > 0 ? null : stateAfter(runs.map(({ outcome }) => outcome));

/**
 * Answers which were written. By their ids, and not by the index of claimed ones, which a whole batch shares a token in:
 * it serves no IS NOT DISTINCT.
 */
async function writeStates(
  session: Session,
  settlements: readonly Settlement[],
  which: 'all' | 'own',
): Promise<string[]> {
  if (settlements.length === 0) return [];
  const sorted = settlements.toSorted(byName);
  const { rows } = await session.query<{ org_id: string; id: string }>(
    `UPDATE events AS event SET state = new.state, matched_sources = new.matched_sources, claim_token = NULL
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       AS new (org_id, id, state, matched_sources, token)
     WHERE event.org_id = new.org_id AND event.id = new.id
     ${which === 'all' ? '' : IS_OWN}
     RETURNING event.org_id, event.id`,
    [
      textArray(sorted.map(({ orgId }) => orgId)),
      textArray(sorted.map(({ eventId }) => eventId)),
      textArray(sorted.map(settlement => lastStateOf(settlement) ?? DEFERRED)),
      textArray(
        sorted.map(({ matchedSources }) => (matchedSources === null ? null : JSON.stringify(matchedSources))),
      ),
      textArray(sorted.map(({ token }) => token)),
    ],
  );
  return rows.map(row => nameOf({ orgId: row.org_id, eventId: row.id, jobId: null }));
}

const IS_OWN = `AND event.state IS NOT DISTINCT FROM '${CLAIMED}' AND event.claim_token = new.token`;

/** Answers the state that each event has now, where it waits for no run any more. */
async function setStates(
  session: Session,
  settlements: readonly Settlement[],
  unwritten: 'all' | 'taken',
): Promise<Map<Settlement, SettledStates>> {
  const states = new Map<Settlement, SettledStates>();
  const first = settlements.filter(({ round }) => round === 'first');
  const later = settlements.filter(({ round }) => round === 'later');
  for (const settlement of first) {
    const state = lastStateOf(settlement);
    if (state !== null) states.set(settlement, { state });
  }
  const left = unwritten === 'all' ? first : first.filter(settlement => !isBornClaimed(settlement));
  await writeStates(session, left, 'all');
  // All are written by now, and each is to see only what was settled before it.
  const unseen = new Set(later.flatMap(({ runs }) => runs.map(({ id }) => id)));
  for (const settlement of later) {
    const { orgId, eventId, jobId, runs, parked } = settlement;
    for (const { id } of runs) unseen.delete(id);
    const mustWait = jobId === null && parked.length > 0;
    if (mustWait && runs.length === 0) continue;
    // First, so that its runs are read after those that another node settles at the same moment.
    const { rows: found } = await session.query<{ before: string }>(
      `SELECT state AS before FROM events WHERE org_id = $1 AND id = $2 FOR UPDATE`,
      [orgId, eventId],
    );
    const { rows } = await session.query<KnownRun>(
      `SELECT ${KNOWN_RUN} FROM all_runs WHERE org_id = $1 AND event_id = $2 ORDER BY id`,
      [orgId, eventId],
    );
    const repeated = repeatedRuns(
      runs,
      rows.filter(({ id }) => !unseen.has(id)),
    );
    if (mustWait) {
      states.set(settlement, { state: null, repeated });
      continue;
    }
    const state = stateOfRuns(rows);
    await session.query(`UPDATE events SET state = $3 WHERE org_id = $1 AND id = $2`, [
      orgId,
      eventId,
      state,
    ]);
    states.set(settlement, { state, ...settledBefore(found[0]?.before), repeated });
  }
  return states;
}

async function park(session: Session, settlements: readonly Settlement[]): Promise<void> {
  const parking = settlements.filter(({ parked }) => parked.length > 0);
  if (parking.length === 0) return;
  await session.query(
    `INSERT INTO parked_events (org_id, event_id, job_id, due_at, plan)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])`,
    [
      ...claimArrays(parking),
      bigintArray(parking.map(({ parked }) => dueAtOf(parked))),
      textArray(parking.map(({ parked }) => JSON.stringify(parked))),
    ],
  );
}

/** Added up and in one order first: a statement may not touch a row twice, and nodes must not wait for each other. */
async function countTallies(session: Session, settlements: readonly Settlement[]): Promise<void> {
  const counts = new Map<string, number>();
  for (const { orgId, tallies } of settlements) {
    for (const { pipelineId, tally, count } of tallies) {
      const name = `${orgId}\n${pipelineId}\n${tally}`;
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
  }
  if (counts.size === 0) return;
  const rows = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => [...name.split('\n'), n]);
  const column = (i: number) => textArray(rows.map(row => String(row[i])));
  await session.query(
    `INSERT INTO tallies AS known (org_id, pipeline_id, tally, count)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
     ON CONFLICT (org_id, pipeline_id, tally) DO UPDATE SET count = known.count + excluded.count`,
    [column(0), column(1), column(2), bigintArray(rows.map(row => Number(row[3])))],
  );
}

async function advanceJobs(session: Session, settlements: readonly Settlement[]): Promise<void> {
  const ended = settlements
    .filter(({ jobId, parked }) => jobId !== null && parked.length === 0)
    .toSorted((a, b) => (`${a.orgId}\n${a.jobId}` < `${b.orgId}\n${b.jobId}` ? -1 : 1));
  for (const { orgId, eventId, jobId } of ended) {
    await session.query(
      `UPDATE jobs SET done = done + 1, failed = failed + (SELECT count(*) FROM (
         SELECT 1 FROM runs WHERE org_id = $1 AND event_id = $3 AND replay_job_id = $2 AND outcome = 'failed'
         LIMIT 1) AS one)
       WHERE org_id = $1 AND id = $2`,
      [orgId, jobId, eventId],
    );
  }
}
