import type { Database } from 'bun:sqlite';
import { UNKNOWN_PIPELINE } from '../../core/event/outcome.ts';
import { CLAIMED, DEFERRED, stateAfter } from '../../core/event/state.ts';
import { newId } from '../../core/ids.ts';
import { REPLAYED } from '../../core/stores/delivery.ts';
import type { SettledRun, Settlement, SettleResult } from '../../core/stores/event-queue.ts';
import { dueAtOf } from '../claimed-event.ts';
import { isKeptTogether } from '../kept-run.ts';
import { lateEvents } from '../late-counts.ts';
import { KNOWN_RUN, type KnownRun, repeatedRuns, stateOfRuns } from '../repeated-runs.ts';
import { pipelinesOfAll, resolvedBy } from '../resolving.ts';
import { type Made, type SettledStates, settledBefore, settledResult, tokenOf } from '../settled-result.ts';
import { prepareCountLate } from './count-late.ts';

interface FoundDestination {
  readonly name: string;
  readonly kind: string;
  readonly paused: number;
}

type Settle = (settlements: readonly Settlement[], at: number) => SettleResult[];

/** Settles events inside the writer's transaction: each is settled whole, with all that it makes, or not at all. */
export function prepareSettle(database: Database): Settle {
  const findKey = database.prepare<{ event_id: string }, [string, string, string, number]>(
    'SELECT event_id FROM dedupe_keys WHERE org_id = ? AND scope = ? AND key = ? AND expires_at > ?',
  );
  const findFailure = database.prepare<{ id: string }, [string, string, string]>(
    `SELECT id FROM runs
     WHERE org_id = ? AND event_id = ? AND pipeline_id = ? AND outcome = 'failed' AND mended = 0 LIMIT 1`,
  );
  const findBetterSince = database.prepare(
    `SELECT 1 FROM all_runs WHERE org_id = ?1 AND event_id = ?2 AND pipeline_id = ?3 AND outcome <> 'failed'
       AND id > (SELECT max(id) FROM runs WHERE org_id = ?1 AND event_id = ?2 AND pipeline_id = '${UNKNOWN_PIPELINE}'
         AND outcome = 'failed' AND mended = 0)`,
  );
  const findClaim = database.prepare(
    'SELECT 1 FROM event_claims WHERE org_id = ? AND event_id = ? AND job_id = ? AND token = ?',
  );
  const endClaim = database.prepare(
    'DELETE FROM event_claims WHERE org_id = ? AND event_id = ? AND job_id = ? AND token = ?',
  );
  const keepKey = database.prepare(
    `INSERT INTO dedupe_keys (org_id, scope, key, event_id, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (org_id, scope, key) DO UPDATE SET event_id = excluded.event_id, expires_at = excluded.expires_at
     WHERE expires_at <= ?`,
  );
  const addRun = database.prepare(
    `INSERT INTO runs (id, org_id, event_id, pipeline_id, pipeline_name, version, source_name, outcome, failed_step, reason,
       output, trace, notes, replay_job_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const resolveEarlier = database.prepare(
    `UPDATE runs SET mended = 1
     WHERE org_id = ? AND event_id = ? AND pipeline_id = ? AND outcome = 'failed' AND id < ?`,
  );
  const findDestination = database.prepare<FoundDestination, [string, string]>(
    'SELECT name, kind, paused FROM destinations WHERE org_id = ? AND id = ?',
  );
  const addDelivery = database.prepare(
    `INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
       destination_name, destination_kind, state, lease_token, attempt, budget_from, due_at, created_at, run_version,
       run_source_name, run_job_id, run_output, run_trace)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?)`,
  );
  // An event has few deliveries; as an expression, the state does not tempt the planner to look through all the dead.
  const cancelReplayed = database.prepare(
    `UPDATE deliveries SET state = 'cancelled', code = '${REPLAYED}', finished_at = ?, replayed_by = ?
     WHERE org_id = ? AND event_id = ? AND pipeline_id = ? AND destination_id = ? AND state || '' = 'dead'`,
  );
  const setState = database.prepare(
    'UPDATE events SET state = ?, matched_sources = ?, claim_token = NULL WHERE org_id = ? AND id = ?',
  );
  const setOwnState = database.prepare(
    `UPDATE events SET state = ?, matched_sources = ?, claim_token = NULL
     WHERE org_id = ? AND id = ? AND state = '${CLAIMED}' AND claim_token = ?`,
  );
  const findOwnEvent = database.prepare(
    `SELECT 1 FROM events WHERE org_id = ? AND id = ? AND state = '${CLAIMED}' AND claim_token = ?`,
  );
  const findState = database.prepare<{ state: string }, [string, string]>(
    'SELECT state FROM events WHERE org_id = ? AND id = ?',
  );
  const setStateAgain = database.prepare('UPDATE events SET state = ? WHERE org_id = ? AND id = ?');
  const listKnown = database.prepare<KnownRun, [string, string]>(
    `SELECT ${KNOWN_RUN} FROM all_runs WHERE org_id = ? AND event_id = ? ORDER BY id`,
  );
  const park = database.prepare(
    'INSERT INTO parked_events (org_id, event_id, job_id, due_at, plan) VALUES (?, ?, ?, ?, ?)',
  );
  const count = database.prepare(
    `INSERT INTO tallies (org_id, pipeline_id, tally, count) VALUES (?, ?, ?, ?)
     ON CONFLICT (org_id, pipeline_id, tally) DO UPDATE SET count = count + excluded.count`,
  );
  const advance = database.prepare(
    `UPDATE jobs SET done = done + 1, failed = failed + EXISTS (
       SELECT 1 FROM runs WHERE org_id = ? AND event_id = ? AND replay_job_id = ? AND outcome = 'failed')
     WHERE org_id = ? AND id = ?`,
  );

  const countLate = prepareCountLate(database);

  /** Most settlements of a batch go to the same few. */
  const found = new Map<string, FoundDestination | null>();

  function findNeedless(settlement: Settlement): SettleResult | null {
    const { orgId, eventId, retryOf = [] } = settlement;
    const resolved = retryOf.filter(id => findFailure.get(orgId, eventId, id) === null);
    const done = pipelinesOfAll(settlement).filter(id => findBetterSince.get(orgId, eventId, id) !== null);
    const pipelineIds = [...resolved, ...done];
    return pipelineIds.length > 0 ? { kind: 'needless', pipelineIds } : null;
  }

  function findLost({ orgId, eventId, runs }: Settlement, at: number): SettleResult | null {
    for (const { pipelineId, claims } of runs) {
      for (const { scope, key, step } of claims) {
        const first = findKey.get(orgId, scope, key, at)?.event_id;
        if (first !== undefined && first !== eventId) return { kind: 'lost', pipelineId, step, first };
      }
    }
    return null;
  }

  function destinationOf(orgId: string, id: string): FoundDestination | null {
    const name = `${orgId} ${id}`;
    const known = found.get(name);
    if (known !== undefined) return known;
    const destination = findDestination.get(orgId, id);
    found.set(name, destination);
    return destination;
  }

  /** Adds to what the settlement has made. */
  function settleRun(settlement: Settlement, position: number, at: number, made: Made): void {
    const { orgId, eventId, jobId } = settlement;
    const run = settlement.runs[position] as SettledRun;
    const notes = [...run.notes];
    const destinations: (FoundDestination & { readonly id: string })[] = [];
    for (const id of run.destinations) {
      const destination = destinationOf(orgId, id);
      if (destination) {
        destinations.push({ ...destination, id });
        continue;
      }
      notes.push({ destination: id, note: 'The destination is gone.' });
      made.gone.push(id);
    }
    const deliveries = destinations.length;
    const { output, trace } = run;
    const isTogether = isKeptTogether({ run, notes, deliveries, output, trace });
    for (const destination of destinations) {
      const { id } = destination;
      const deliveryId = newId('dlv', at);
      if (jobId !== null)
        made.replayed += cancelReplayed.run(at, deliveryId, orgId, eventId, run.pipelineId, id).changes;
      const token = destination.paused === 0 ? tokenOf(settlement, position, id) : null;
      if (token !== null) made.claimed.push({ id: deliveryId, run: position, destinationId: id });
      addDelivery.run(
        deliveryId,
        orgId,
        eventId,
        run.id,
        run.pipelineId,
        run.pipelineName,
        id,
        destination.name,
        destination.kind,
        token === null ? 'pending' : 'delivering',
        token,
        at,
        at,
        isTogether ? run.version : null,
        isTogether ? run.sourceName : null,
        isTogether ? (jobId ?? '') : null,
        isTogether ? output : null,
        isTogether ? trace : null,
      );
    }
    if (!isTogether) {
      addRun.run(
        run.id,
        orgId,
        eventId,
        run.pipelineId,
        run.pipelineName,
        run.version,
        run.sourceName,
        run.outcome,
        run.step,
        run.reason,
        output,
        trace,
        notes.length > 0 ? JSON.stringify(notes) : null,
        jobId ?? '',
        at,
      );
    }
    for (const { scope, key, expiresAt } of run.claims) {
      keepKey.run(orgId, scope, key, eventId, expiresAt, at);
    }
    made.deliveries += deliveries;
  }

  /** How it is after its first round, in which it has no other runs. */
  function afterFirstRound({ runs, parked, matchedSources }: Settlement) {
    const state = parked.length > 0 ? null : stateAfter(runs.map(({ outcome }) => outcome));
    return {
      state,
      stored: state ?? DEFERRED,
      sources: matchedSources === null ? null : JSON.stringify(matchedSources),
    };
  }

  function setEventState(settlement: Settlement): SettledStates {
    const { orgId, eventId, jobId, round, runs, parked, isBornClaimed } = settlement;
    if (round === 'first') {
      const { state, stored, sources } = afterFirstRound(settlement);
      // That of one that was born claimed has ended its claim.
      if (!isBornClaimed) setState.run(stored, sources, orgId, eventId);
      return { state };
    }
    const mustWait = jobId === null && parked.length > 0;
    if (mustWait && runs.length === 0) return { state: null };
    const known = listKnown.all(orgId, eventId);
    const repeated = repeatedRuns(runs, known);
    if (mustWait) return { state: null, repeated };
    const before = findState.get(orgId, eventId)?.state;
    const state = stateOfRuns(known);
    setStateAgain.run(state, orgId, eventId);
    return { state, ...settledBefore(before), repeated };
  }

  function isOurs({ orgId, eventId, jobId, token, isBornClaimed }: Settlement): boolean {
    const found = isBornClaimed
      ? findOwnEvent.get(orgId, eventId, token)
      : findClaim.get(orgId, eventId, jobId ?? '', token);
    return found !== null;
  }

  /** Whether it was ours: a claim is a row, or the state of an event that was born claimed. */
  function endClaimOf(settlement: Settlement): boolean {
    const { orgId, eventId, jobId, token, isBornClaimed } = settlement;
    if (!isBornClaimed) return endClaim.run(orgId, eventId, jobId ?? '', token).changes > 0;
    const { stored, sources } = afterFirstRound(settlement);
    return setOwnState.run(stored, sources, orgId, eventId, token).changes > 0;
  }

  function settleOne(settlement: Settlement, at: number): SettleResult {
    const { orgId, eventId, runs, parked } = settlement;
    const jobId = settlement.jobId ?? '';
    const instead = findNeedless(settlement) ?? findLost(settlement, at);
    // Whoever has lost the claim is answered so, whatever else has become of the event.
    if (!(instead ? isOurs(settlement) : endClaimOf(settlement))) return { kind: 'refused' };
    if (instead) return instead;
    const made: Made = { deliveries: 0, claimed: [], replayed: 0, gone: [] };
    for (const position of runs.keys()) settleRun(settlement, position, at, made);
    for (const { pipelineId, below } of resolvedBy(settlement))
      resolveEarlier.run(orgId, eventId, pipelineId, below);
    const states = setEventState(settlement);
    for (const { pipelineId, tally, count: n } of settlement.tallies) count.run(orgId, pipelineId, tally, n);
    if (parked.length > 0) park.run(orgId, eventId, jobId, dueAtOf(parked), JSON.stringify(parked));
    else if (jobId !== '') advance.run(orgId, eventId, jobId, orgId, jobId);
    return settledResult(settlement, made, states, at);
  }

  return (settlements, at) => {
    found.clear();
    const results = settlements.map(settlement => settleOne(settlement, at));
    countLate(lateEvents(settlements, results));
    return results;
  };
}
