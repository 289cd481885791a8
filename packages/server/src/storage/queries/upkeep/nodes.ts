import { minutes } from '../../../core/clock.ts';
import type { NodeRates, UpkeepStore } from '../../../core/stores/upkeep.ts';
import { NODE_SILENCE_MS } from '../../../core/work/membership.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { beginAlert, findFirstOrganisation } from '../alerts/alerts.ts';
import { noteDeaths } from '../counters/lost-counts.ts';
import { newestTimes, recountMinute } from '../counters/recount.ts';
import { minutesOf } from '../counters/unwritten-minutes.ts';
import { databaseTime } from '../database-time.ts';
import { countClaims } from './claims-of-nodes.ts';

/** The nodes that are alive. What is not in this table is dead, and never comes back under the same id. */

const MINUTE = minutes(1);
const IDLE: NodeRates = { accepted: 0, processed: 0, delivered: 0 };

const toColumns = ({ accepted, processed, delivered }: NodeRates) => ({
  accepted_rate: accepted,
  processed_rate: processed,
  delivered_rate: delivered,
});

async function rolesOfAll(db: Db): Promise<string[][]> {
  const alive = await db.selectFrom('nodes').select('roles').execute();
  return alive.map(({ roles }) => roles.split(','));
}

export const join: Operation<UpkeepStore['join']> = async (db, { id, roles, version, host }, isAlone) => {
  if (isAlone) {
    const before = await db.deleteFrom('nodes').returning('id').execute();
    // It ended without leaving. Nobody has counted anything since.
    if (before.length > 0) await recountNewest(db);
  }
  const now = await databaseTime(db);
  await db
    .insertInto('nodes')
    .values({ id, seen_at: now, roles: roles.join(','), version, host, joined_at: now, ...toColumns(IDLE) })
    .execute();
  return rolesOfAll(db);
};

async function recountNewest(db: Db): Promise<void> {
  for (const newest of await newestTimes(db)) {
    const { from, to } = minutesOf(newest, newest);
    for (let at = from; at <= to; at += MINUTE) {
      for (let last: string | null = ''; last !== null; ) last = await recountMinute(db, at, last);
    }
  }
}

export const heartbeat: Operation<UpkeepStore['heartbeat']> = async (db, nodeId, rates) => {
  const now = await databaseTime(db);
  const seen = await db
    .updateTable('nodes')
    .set({ seen_at: now, ...(rates && toColumns(rates)) })
    .where('id', '=', nodeId)
    // Others may rely on its death already, whoever is about to declare it.
    .where('seen_at', '>=', now - NODE_SILENCE_MS)
    .returning('id')
    .executeTakeFirst();
  if (seen) return rolesOfAll(db);
  const dead = db.deleteFrom('nodes').where('id', '=', nodeId).returning(['id', 'seen_at']);
  await noteDeaths(db, await dead.execute(), now);
  return null;
};

export const buryNodes: Operation<UpkeepStore['buryNodes']> = async (db, by) => {
  const now = await databaseTime(db);
  // A clock that went back must not keep the dead alive for as long as it went back.
  await db
    .updateTable('nodes')
    .set({ seen_at: now })
    .where('seen_at', '>', now + NODE_SILENCE_MS)
    .execute();
  const dead = await db
    .deleteFrom('nodes')
    .where('seen_at', '<', now - NODE_SILENCE_MS)
    .where('id', '<>', by)
    .returning(['id', 'roles', 'seen_at'])
    .execute();
  await noteDeaths(db, dead, now);
  await noteLost(db, dead);
  return dead.map(({ id }) => id);
};

/** With the burial, so that it is told even if whoever buried it is next. */
async function noteLost(
  db: Db,
  dead: readonly Pick<Schema['nodes'], 'id' | 'roles' | 'seen_at'>[],
): Promise<void> {
  const orgId = dead.length === 0 ? null : await findFirstOrganisation(db);
  if (orgId === null) return;
  for (const { id, roles, seen_at } of dead) {
    const subject = { type: 'node', id, name: id, kind: roles } as const;
    const details = { subject, counts: {} };
    await beginAlert(db, { orgId, type: 'sluice.node.lost', subjectId: id, since: seen_at, details }, 0);
  }
}

export const leave: Operation<UpkeepStore['leave']> = async (db, nodeId) => {
  await db.deleteFrom('nodes').where('id', '=', nodeId).execute();
};

export const listNodes: Operation<UpkeepStore['listNodes']> = async db => {
  const now = await databaseTime(db);
  const nodes = await db.selectFrom('nodes').selectAll().orderBy('joined_at').orderBy('id').execute();
  const listed = [];
  for (const node of nodes) {
    listed.push({
      id: node.id,
      roles: node.roles.split(','),
      version: node.version,
      host: node.host,
      joinedAt: node.joined_at,
      silentMs: Math.max(0, now - node.seen_at),
      rates: {
        accepted: node.accepted_rate,
        processed: node.processed_rate,
        delivered: node.delivered_rate,
      },
      claimed: await countClaims(db, node.id),
    });
  }
  return listed;
};
