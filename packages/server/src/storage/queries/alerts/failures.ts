import { sql } from 'kysely';
import { systemSourceId } from '../../../core/event/system-source.ts';
import type { Trouble, TroubleThresholds } from '../../../core/stores/alerts.ts';
import type { Db } from '../../schema.ts';

/**
 * Dead letters that become more, and pipelines that fail. Counters say in which organisations it may be so; there the
 * rows themselves are looked at, without those of system events: what becomes of these raises none.
 */

/** Of each sort, the latest of an organisation. */
const MOST_LOOKED_AT = 1_000;
const MOST_ORGANISATIONS = 100;

interface Failure {
  readonly at: number;
  readonly reason: string | null;
}

export async function findFailures(db: Db, thresholds: TroubleThresholds): Promise<Trouble[]> {
  const { countedFrom, deadLetters, failedRuns } = thresholds;
  const found: Trouble[] = [];
  for (const orgId of await findCandidates(db, countedFrom, Math.min(deadLetters, failedRuns))) {
    const name = await nameOf(db, orgId);
    if (name === null) continue;
    const dead = await listDead(db, orgId, countedFrom);
    const failed = await listFailed(db, orgId, countedFrom);
    if (dead.length + failed.length >= deadLetters) {
      found.push({
        orgId,
        type: 'sluice.dead_letters.growing',
        subject: { type: 'organisation', id: orgId, name, kind: 'organisation' },
        counts: { deliveries: dead.length, events: failed.length },
        ...extentOf([...dead, ...failed]),
      });
    }
    for (const [pipelineId, runs] of Map.groupBy(failed, run => run.pipelineId)) {
      if (runs.length < failedRuns) continue;
      found.push({
        orgId,
        type: 'sluice.pipeline.failing',
        subject: { type: 'pipeline', id: pipelineId, name: runs[0]?.pipelineName ?? '', kind: 'pipeline' },
        counts: { failed: runs.length },
        ...extentOf(runs),
      });
    }
  }
  return found;
}

/** When the first was, and why the last. */
function extentOf(failures: readonly Failure[]): Pick<Trouble, 'since' | 'lastError'> {
  const inOrder = failures.toSorted((a, b) => a.at - b.at);
  return { since: inOrder[0]?.at ?? 0, lastError: inOrder.at(-1)?.reason ?? null };
}

/** The condition of the index, to the letter. Of destinations what died counts, and not each attempt that failed. */
async function findCandidates(db: Db, countedFrom: number, least: number): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    SELECT org_id FROM counters
    WHERE span = 60000 AND name IN ('dead', 'failed') AND at >= ${countedFrom}
      AND (name = 'dead' OR subject LIKE 'pipe%')
    GROUP BY org_id HAVING sum(amount) >= ${least}
    LIMIT ${MOST_ORGANISATIONS}`.execute(db);
  return rows.map(row => row.org_id);
}

async function nameOf(db: Db, orgId: string): Promise<string | null> {
  const org = db.selectFrom('organisations').select('name').where('id', '=', orgId);
  return (await org.executeTakeFirst())?.name ?? null;
}

async function listDead(db: Db, orgId: string, from: number): Promise<Failure[]> {
  const { rows } = await sql<{ at: number; name: string; code: string | null }>`
    SELECT latest.finished_at AS at, latest.destination_name AS name, latest.code AS code
    FROM (SELECT org_id, event_id, finished_at, destination_name, code FROM deliveries
          WHERE org_id = ${orgId} AND state = 'dead' ORDER BY id DESC LIMIT ${MOST_LOOKED_AT}) AS latest
    JOIN events ON events.org_id = latest.org_id AND events.id = latest.event_id
    WHERE latest.finished_at >= ${from}
      AND (events.source_id IS NULL OR events.source_id <> ${systemSourceId(orgId)})`.execute(db);
  return rows.map(({ at, name, code }) => ({
    at: Number(at),
    reason: `A delivery to ${name} is dead: ${code ?? 'no reason is known'}.`,
  }));
}

async function listFailed(db: Db, orgId: string, from: number) {
  const { rows } = await sql<{ at: number; id: string; name: string; reason: string | null }>`
    SELECT latest.created_at AS at, latest.pipeline_id AS id, latest.pipeline_name AS name, latest.reason AS reason
    FROM (SELECT org_id, event_id, created_at, pipeline_id, pipeline_name, reason FROM runs
          WHERE org_id = ${orgId} AND outcome = 'failed' AND mended = 0
          ORDER BY event_id DESC LIMIT ${MOST_LOOKED_AT}) AS latest
    JOIN events ON events.org_id = latest.org_id AND events.id = latest.event_id
    WHERE latest.created_at >= ${from}
      AND (events.source_id IS NULL OR events.source_id <> ${systemSourceId(orgId)})`.execute(db);
  return rows.map(({ at, id, name, reason }) => ({
    at: Number(at),
    reason,
    pipelineId: id,
    pipelineName: name,
  }));
}
