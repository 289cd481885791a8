import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ListedNode, UpkeepStore } from '../../../core/stores/upkeep.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { dueStill, openAgain } from '../deliveries/deliveries.ts';
import { isBornClaimed } from '../events/claims.ts';

/**
 * What nodes have claimed, by its tokens. Claims ask nothing about nodes: whoever notices that one is dead frees what it
 * had, by token. A token is never used again, so that freeing by one cannot meet anybody else's claim.
 */

/** As the indexes have it, which hold what is claimed and nothing else. */
const isDelivering = sql<SqlBool>`state = 'delivering'`;
const isFindingOut = sql<SqlBool>`label IS NULL`;

/** A statement has room for a limited number of values. */
const TOKENS_A_STATEMENT = 500;

export const listClaims: Operation<UpkeepStore['listClaims']> = async db => {
  const events = await db
    .selectFrom('event_claims')
    .select('token')
    .distinct()
    .where('token', '<>', '')
    .execute();
  const born = await tokensAlong(db, 'events', 'claim_token', isBornClaimed);
  const deliveries = await tokensAlong(db, 'deliveries', 'lease_token', isDelivering);
  const jobs = await db
    .selectFrom('jobs')
    .select('lease_token as token')
    .where('finished_at', 'is', null)
    .where('lease_token', '<>', '')
    .execute();
  const labels = await db
    .selectFrom('labels')
    .select('lease_token as token')
    .distinct()
    .where(isFindingOut)
    .execute();
  const probes = await db
    .selectFrom('destinations')
    .select('probe_token as token')
    .distinct()
    .where('probe_token', 'is not', null)
    .$narrowType<{ token: string }>()
    .execute();
  const listeners = await db
    .selectFrom('destinations')
    .select('listener_token as token')
    .where('listener_token', 'is not', null)
    .$narrowType<{ token: string }>()
    .execute();
  // After all tokens: whoever had claimed by then stands among the nodes by now, or is dead.
  const nodes = await db.selectFrom('nodes').select('id').execute();
  return {
    events: [...events.map(({ token }) => token), ...born],
    deliveries,
    probes: probes.map(({ token }) => token),
    listeners: listeners.map(({ token }) => token),
    jobs: jobs.map(({ token }) => token),
    labels: labels.map(({ token }) => token),
    nodes: nodes.map(({ id }) => id),
  };
};

/** What one node has claimed, by the stretch of each index in which tokens begin with its id and a blank. */
export async function countClaims(db: Db, nodeId: string): Promise<ListedNode['claimed']> {
  const isIts = (column: string) =>
    sql<SqlBool>`${sql.ref(column)} > ${`${nodeId} `} AND ${sql.ref(column)} < ${`${nodeId}!`}`;
  const count = sql<number>`count(*)`.as('n');
  const claimed = await db.selectFrom('event_claims').select(count).where(isIts('token')).executeTakeFirst();
  const born = await db
    .selectFrom('events')
    .select(count)
    .where(isBornClaimed)
    .where(isIts('claim_token'))
    .executeTakeFirst();
  const deliveries = await db
    .selectFrom('deliveries')
    .select(count)
    .where(isDelivering)
    .where(isIts('lease_token'))
    .executeTakeFirst();
  const jobs = await db
    .selectFrom('jobs')
    .select(count)
    .where('finished_at', 'is', null)
    .where(isIts('lease_token'))
    .executeTakeFirst();
  return {
    events: (claimed?.n ?? 0) + (born?.n ?? 0),
    deliveries: deliveries?.n ?? 0,
    jobs: jobs?.n ?? 0,
  };
}

/** From token to token along the index, however many rows there are of each. */
async function tokensAlong(
  db: Db,
  table: 'events' | 'deliveries',
  column: 'claim_token' | 'lease_token',
  isClaimed: RawBuilder<SqlBool>,
): Promise<string[]> {
  const [from, token] = [sql.table(table), sql.ref(column)];
  const { rows } = await sql<{ token: string }>`
    WITH RECURSIVE claimed (token) AS (
      SELECT min(${token}) FROM ${from} WHERE ${isClaimed}
      UNION ALL
      SELECT (SELECT min(${token}) FROM ${from} WHERE ${isClaimed} AND ${token} > claimed.token)
      FROM claimed WHERE claimed.token IS NOT NULL)
    SELECT token FROM claimed WHERE token IS NOT NULL`.execute(db);
  return rows.map(({ token }) => token);
}

export const freeClaims: Operation<UpkeepStore['freeClaims']> = async (db, tokens, limit, at) => {
  let freed = 0;
  const some = (all: readonly string[]) => all.slice(0, TOKENS_A_STATEMENT);
  const count = (rows: readonly unknown[]) => {
    freed += rows.length;
  };
  if (tokens.events.length > 0) {
    // Its event may be what brought the node down.
    const { rows } = await sql`
      UPDATE event_claims SET token = '' WHERE token IN (${sql.join(some(tokens.events))}) AND event_id IN (
        SELECT event_id FROM event_claims WHERE token IN (${sql.join(some(tokens.events))}) LIMIT ${limit})
      RETURNING event_id`.execute(db);
    count(rows);
    count(await suspectBornClaimed(db, some(tokens.events), limit));
  }
  if (tokens.deliveries.length > 0) {
    const claimed = sql`${isDelivering} AND lease_token IN (${sql.join(some(tokens.deliveries))})`;
    const { rows } = await sql`
      UPDATE deliveries SET state = ${openAgain}, due_at = ${dueStill(at)}, lease_token = NULL
      WHERE ${claimed} AND id IN (SELECT id FROM deliveries WHERE ${claimed} LIMIT ${limit})
      RETURNING id`.execute(db);
    count(rows);
  }
  if (tokens.probes.length > 0) {
    const taken = db
      .updateTable('destinations')
      .set({ probe_until: null, probe_token: null })
      .where('probe_token', 'in', some(tokens.probes));
    count(await taken.returning('id').execute());
  }
  if (tokens.listeners.length > 0) {
    const connected = db
      .updateTable('destinations')
      .set({ listener_token: null })
      .where('listener_token', 'in', some(tokens.listeners));
    count(await connected.returning('id').execute());
  }
  if (tokens.jobs.length > 0) {
    const open = db
      .updateTable('jobs')
      .set({ lease_until: 0, lease_token: '' })
      .where('finished_at', 'is', null)
      .where('lease_token', 'in', some(tokens.jobs));
    count(await open.returning('id').execute());
  }
  if (tokens.labels.length > 0) {
    const unknown = db
      .deleteFrom('labels')
      .where(isFindingOut)
      .where('lease_token', 'in', some(tokens.labels));
    count(await unknown.returning('key').execute());
  }
  return freed;
};

/** They wait like any others from now on, with a claim beside them that says how often they were tried. */
async function suspectBornClaimed(
  db: Db,
  tokens: readonly string[],
  limit: number,
): Promise<readonly unknown[]> {
  const claimed = sql`${isBornClaimed} AND claim_token IN (${sql.join(tokens)})`;
  const { rows } = await sql<{ org_id: string; id: string }>`
    UPDATE events SET state = 'accepted', claim_token = NULL
    WHERE ${claimed} AND id IN (SELECT id FROM events WHERE ${claimed} LIMIT ${limit})
    RETURNING org_id, id`.execute(db);
  if (rows.length === 0) return rows;
  const suspects = rows.map(({ org_id, id }) => ({
    org_id,
    event_id: id,
    job_id: '',
    token: '',
    tries: 1,
    plan: null,
  }));
  await db.insertInto('event_claims').values(suspects).execute();
  return rows;
}
