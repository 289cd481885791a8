import { sql } from 'kysely';
import { systemSourceId } from '../../../core/event/system-source.ts';
import type { AlertStore, Trouble } from '../../../core/stores/alerts.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/**
 * Dead letters that become more, and pipelines that fail. Counters say in which organisations it may be so; there the
 * rows themselves are looked at, without those of system events: what becomes of these raises none.
 */

/** Of each sort, the latest of an organisation within the time that is asked about. */
const MOST_LOOKED_AT = 1_000;

interface Failure {
  readonly at: number;
  readonly reason: string | null;
}

export const readFailures: Operation<AlertStore['readFailures']> = async (
  db,
  { countedFrom, deadLetters, failedRuns },
  behind,
  organisations,
) => {
  const found: Trouble[] = [];
  const least = Math.min(deadLetters, failedRuns);
  const orgIds = await findCandidates(db, countedFrom, least, behind, organisations);
  for (const orgId of orgIds) {
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
  return { found, last: orgIds.length < organisations ? null : (orgIds.at(-1) ?? null) };
};

/** When the first was, and why the last. */
function extentOf(failures: readonly Failure[]): Pick<Trouble, 'since' | 'lastError'> {
  const inOrder = failures.toSorted((a, b) => a.at - b.at);
  return { since: inOrder[0]?.at ?? 0, lastError: inOrder.at(-1)?.reason ?? null };
}

/**
 * The condition of the index, to the letter. What died is counted when it did, of destinations and of pipelines; what failed
 * is each attempt of the one, and events of the other in the minute they came in: those are looked at too, since a node of the
 * version before counts nothing else of a pipeline.
 */
async function findCandidates(
  db: Db,
  countedFrom: number,
  least: number,
  behind: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    SELECT org_id FROM counters
    WHERE span = 60000 AND name IN ('dead', 'failed') AND at >= ${countedFrom}
      AND (name = 'dead' OR subject LIKE 'pipe%') AND org_id > ${behind}
    GROUP BY org_id HAVING sum(CASE WHEN amount > 0 THEN amount ELSE 0 END) >= ${least}
    ORDER BY org_id LIMIT ${limit}`.execute(db);
  return rows.map(row => row.org_id);
}

async function nameOf(db: Db, orgId: string): Promise<string | null> {
  const org = db.selectFrom('organisations').select('name').where('id', '=', orgId);
  return (await org.executeTakeFirst())?.name ?? null;
}

const isNoSystemEvent = (orgId: string) =>
  sql`(events.source_id IS NULL OR events.source_id <> ${systemSourceId(orgId)})`;

async function listDead(db: Db, orgId: string, from: number): Promise<Failure[]> {
  const { rows } = await sql<{ at: number; name: string; code: string | null }>`
    SELECT failure.finished_at AS at, failure.destination_name AS name, failure.code AS code
    FROM deliveries AS failure
    JOIN events ON events.org_id = failure.org_id AND events.id = failure.event_id
    WHERE failure.org_id = ${orgId} AND failure.state = 'dead' AND failure.finished_at >= ${from}
      AND ${isNoSystemEvent(orgId)}
    ORDER BY failure.finished_at DESC LIMIT ${MOST_LOOKED_AT}`.execute(db);
  return rows.map(({ at, name, code }) => ({
    at: Number(at),
    reason: `A delivery to ${name} is dead: ${code ?? 'no reason is known'}.`,
  }));
}

async function listFailed(db: Db, orgId: string, from: number) {
  const { rows } = await sql<{ at: number; id: string; name: string; reason: string | null }>`
    SELECT failure.created_at AS at, failure.pipeline_id AS id, failure.pipeline_name AS name,
      failure.reason AS reason
    FROM runs AS failure
    JOIN events ON events.org_id = failure.org_id AND events.id = failure.event_id
    WHERE failure.org_id = ${orgId} AND failure.outcome = 'failed' AND failure.mended = 0
      AND failure.created_at >= ${from} AND ${isNoSystemEvent(orgId)}
    ORDER BY failure.created_at DESC LIMIT ${MOST_LOOKED_AT}`.execute(db);
  return rows.map(({ at, id, name, reason }) => ({
    at: Number(at),
    reason,
    pipelineId: id,
    pipelineName: name,
  }));
}
