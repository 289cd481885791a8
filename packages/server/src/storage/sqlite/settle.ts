import type { Database } from 'bun:sqlite';
import type { EventState } from '../../core/event/event.ts';
import type { RunOutcome } from '../../core/event/outcome.ts';
import { DEFERRED, stateAfter } from '../../core/event/state.ts';
import { newId } from '../../core/ids.ts';
import type { SettledRun, Settlement, SettleResult } from '../../core/stores/event-queue.ts';
import { dueAtOf } from '../claimed-event.ts';
import { resolvedBy } from '../resolving.ts';

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
  const findDestination = database.prepare<{ name: string; kind: string }, [string, string]>(
    'SELECT name, kind FROM destinations WHERE org_id = ? AND id = ?',
  );
  const addDelivery = database.prepare(
    `INSERT INTO deliveries (id, org_id, event_id, run_id, pipeline_id, pipeline_name, destination_id,
       destination_name, destination_kind, state, attempt, budget_from, due_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, 0, ?, ?)`,
  );
  const setState = database.prepare(
    'UPDATE events SET state = ?, matched_sources = ? WHERE org_id = ? AND id = ?',
  );
  const setStateAgain = database.prepare('UPDATE events SET state = ? WHERE org_id = ? AND id = ?');
  const listOutcomes = database.prepare<
    { pipeline_id: string; outcome: RunOutcome['kind'] },
    [string, string]
  >('SELECT pipeline_id, outcome FROM runs WHERE org_id = ? AND event_id = ? AND mended <> 1 ORDER BY id');
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

  function findNeedless({ orgId, eventId, retryOf = [] }: Settlement): SettleResult | null {
    const pipelineIds = retryOf.filter(id => findFailure.get(orgId, eventId, id) === null);
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

  /** Answers how many deliveries it made. */
  function settleRun({ orgId, eventId, jobId }: Settlement, run: SettledRun, at: number): number {
    const notes = [...run.notes];
    let deliveries = 0;
    for (const id of run.destinations) {
      const destination = findDestination.get(orgId, id);
      if (!destination) {
        notes.push({ destination: id, note: 'The destination is gone.' });
        continue;
      }
      addDelivery.run(
        newId('dlv', at),
        orgId,
        eventId,
        run.id,
        run.pipelineId,
        run.pipelineName,
        id,
        destination.name,
        destination.kind,
        at,
        at,
      );
      deliveries++;
    }
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
      deliveries > 0 ? run.output : '',
      run.trace,
      notes.length > 0 ? JSON.stringify(notes) : null,
      jobId ?? '',
      at,
    );
    for (const { scope, key, expiresAt } of run.claims) {
      keepKey.run(orgId, scope, key, eventId, expiresAt, at);
    }
    return deliveries;
  }

  /** Answers the state that the event has now; null where it still waits for a run. */
  function setEventState(settlement: Settlement): EventState | null {
    const { orgId, eventId, jobId, round, runs, parked, matchedSources } = settlement;
    if (round === 'first') {
      const state = parked.length > 0 ? DEFERRED : stateAfter(runs.map(({ outcome }) => outcome));
      const sources = matchedSources === null ? null : JSON.stringify(matchedSources);
      setState.run(state, sources, orgId, eventId);
      return state === DEFERRED ? null : state;
    }
    if (jobId === null && parked.length > 0) return null;
    // Of several runs by one pipeline the latest counts.
    const latest = new Map(listOutcomes.all(orgId, eventId).map(row => [row.pipeline_id, row.outcome]));
    const state = stateAfter([...latest.values()]);
    setStateAgain.run(state, orgId, eventId);
    return state;
  }

  function settleOne(settlement: Settlement, at: number): SettleResult {
    const { orgId, eventId, token, runs, parked } = settlement;
    const jobId = settlement.jobId ?? '';
    // Whoever has lost the claim is answered so, whatever else has become of the event.
    if (findClaim.get(orgId, eventId, jobId, token) === null) return { kind: 'refused' };
    const needless = findNeedless(settlement);
    if (needless) return needless;
    const lost = findLost(settlement, at);
    if (lost) return lost;
    endClaim.run(orgId, eventId, jobId, token);
    let deliveries = 0;
    for (const run of runs) deliveries += settleRun(settlement, run, at);
    for (const { pipelineId, below } of resolvedBy(settlement))
      resolveEarlier.run(orgId, eventId, pipelineId, below);
    const state = setEventState(settlement);
    for (const { pipelineId, tally, count: n } of settlement.tallies) count.run(orgId, pipelineId, tally, n);
    if (parked.length > 0) park.run(orgId, eventId, jobId, dueAtOf(parked), JSON.stringify(parked));
    else if (jobId !== '') advance.run(orgId, eventId, jobId, orgId, jobId);
    return { kind: 'settled', deliveries, state };
  }

  return (settlements, at) => settlements.map(settlement => settleOne(settlement, at));
}
