import { sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { StoredErrorGroup } from '../../../core/stores/delivery-errors.ts';
import type { DeliveryQueue } from '../../../core/stores/delivery-queue.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { listOpenIds } from './open-deliveries.ts';

/**
 * Why deliveries do not arrive, in groups. The dead are counted along the index that holds all that they are grouped by;
 * what is retried is found as its list finds it, and then looked at, no more of it than is counted.
 */

interface Row {
  readonly destination_id: string;
  readonly code: string | null;
  readonly status: number | null;
  readonly latest: string;
  readonly count: number;
}

export const listErrorGroups: Operation<DeliveryQueue['listErrorGroups']> = async (
  db,
  orgId,
  { from, to },
  most,
) => {
  const { rows: dead } = await sql<Row>`
    SELECT destination_id, code, attempt_status AS status, max(id) AS latest, count(*) AS count FROM (
      SELECT id, destination_id, code, attempt_status FROM deliveries
      WHERE org_id = ${orgId} AND state = 'dead' AND id >= ${idFloor('dlv', from)} AND id < ${idFloor('dlv', to)}
      ORDER BY id DESC LIMIT ${most + 1}) AS seen
    GROUP BY destination_id, code, attempt_status`.execute(db);
  const made = { madeAfter: from - 1, madeBefore: to };
  const ids = await listOpenIds(db, orgId, 'retrying', made, { limit: most + 1, below: null });
  const retrying = await groupsOf(db, orgId, ids);
  const groups = [
    ...dead.map(row => ({ state: 'dead' as const, ...row, count: Number(row.count) })),
    ...retrying.map(row => ({ state: 'retrying' as const, ...row })),
  ];
  const named = await namesOf(
    db,
    orgId,
    groups.map(({ latest }) => latest),
  );
  const sum = (rows: readonly Row[]) => rows.reduce((all, { count }) => all + Number(count), 0);
  return {
    groups: groups.map(({ state, destination_id, code, status, count, latest }): StoredErrorGroup => {
      const { destination_name = '', destination_kind = '' } = named.get(latest) ?? {};
      const destination = { id: destination_id, name: destination_name, kind: destination_kind };
      return { state, destination, code, status, count, latest };
    }),
    more: { dead: sum(dead) > most, retrying: ids.length > most },
  };
};

/** A statement has room for a limited number of values. */
const IDS_A_STATEMENT = 500;

async function groupsOf(db: Db, orgId: string, ids: readonly string[]): Promise<Row[]> {
  const groups = new Map<string, Row>();
  for (let from = 0; from < ids.length; from += IDS_A_STATEMENT) {
    const rows = await db
      .selectFrom('deliveries')
      .select(eb => [
        'destination_id',
        'code',
        'attempt_status as status',
        eb.fn.max('id').as('latest'),
        eb.fn.countAll<number>().as('count'),
      ])
      .where('org_id', '=', orgId)
      .where('id', 'in', ids.slice(from, from + IDS_A_STATEMENT))
      .groupBy(['destination_id', 'code', 'attempt_status'])
      .execute();
    for (const row of rows) {
      const key = `${row.destination_id}\n${row.code}\n${row.status}`;
      const known = groups.get(key);
      const latest = known && known.latest > row.latest ? known.latest : row.latest;
      groups.set(key, { ...row, latest, count: Number(row.count) + (known?.count ?? 0) });
    }
  }
  return [...groups.values()];
}

/** A destination is called as it was when the latest of them was made. */
async function namesOf(db: Db, orgId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('deliveries')
    .select(['id', 'destination_name', 'destination_kind'])
    .where('org_id', '=', orgId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map(row => [row.id, row]));
}
