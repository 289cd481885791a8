import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { idFloor } from '../../../core/ids.ts';
import type { DeliveryFilter } from '../../../core/stores/delivery.ts';
import type { Db } from '../../schema.ts';
import { ownerOfWaiting, waitingIds } from '../counters/waiting.ts';
import { isHeld } from './held.ts';

/**
 * Open deliveries by the state that they are shown in, however many others are open. What waits is found destination by
 * destination, along an index for each state: whether it is shown as held or cancelled hangs on the destination alone.
 * The id of a destination says whose it is; with the organisation beside it an engine might take an index that holds
 * all that was ever delivered there.
 */
export const OPEN_STATES = ['pending', 'retrying', 'held', 'delivering', 'cancelled'] as const;

export type OpenState = (typeof OPEN_STATES)[number];

interface Page {
  readonly limit: number | undefined;
  readonly below: string | null;
}

/** So many destinations are looked at with one statement. */
const DESTINATIONS_AT_ONCE = 100;
/** Above every id of a delivery. */
const ALL = 'dlv_~';

const isPending = sql`state = 'pending'`;
const isRetrying = sql`state = 'retrying'`;

/** The newest of them, newest first. */
export async function listOpenIds(
  db: Db,
  orgId: string,
  state: OpenState,
  filter: DeliveryFilter,
  { limit, below }: { readonly limit: number; readonly below: string | null },
): Promise<string[]> {
  const found: string[] = [];
  for (const newest of await statementsOf(db, orgId, state, filter, { limit, below })) {
    // Of each destination as many are found: no more of all of them are handed over.
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM (${newest}) AS newest ORDER BY id DESC LIMIT ${limit}`.execute(db);
    found.push(...rows.map(({ id }) => id));
  }
  return found.sort((a, b) => (a < b ? 1 : -1)).slice(0, limit);
}

export async function countOpen(
  db: Db,
  orgId: string,
  state: OpenState,
  filter: DeliveryFilter,
  most: number | undefined,
): Promise<number> {
  let counted = 0;
  for (const found of await statementsOf(db, orgId, state, filter, { limit: most, below: null })) {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM (${found}) AS found`.execute(
      db,
    );
    counted += Number(rows[0]?.count ?? 0);
  }
  return Math.min(counted, most ?? counted);
}

/** Each finds ids of its own, no more than the limit where there is one. */
async function statementsOf(
  db: Db,
  orgId: string,
  state: OpenState,
  filter: DeliveryFilter,
  page: Page,
): Promise<RawBuilder<unknown>[]> {
  if (state === 'delivering') return [delivering(orgId, filter, page)];
  const all = await destinationsOf(db, orgId, state);
  const destinations = all.filter(id => filter.destination === undefined || filter.destination === id);
  const waits =
    state === 'pending' ? [isPending] : state === 'retrying' ? [isRetrying] : [isPending, isRetrying];
  const parts = destinations.flatMap(id =>
    waits.map(
      isWaiting => sql`SELECT id FROM (
        SELECT id FROM deliveries WHERE ${isWaiting} AND destination_id = ${id} ${narrowed(filter, page)}
        ORDER BY id DESC ${upTo(page)}) AS newest`,
    ),
  );
  const statements: RawBuilder<unknown>[] = [];
  for (let from = 0; from < parts.length; from += DESTINATIONS_AT_ONCE)
    statements.push(sql.join(parts.slice(from, from + DESTINATIONS_AT_ONCE), sql` UNION ALL `));
  return statements;
}

/** Those whose waiting deliveries are shown in this state. */
async function destinationsOf(
  db: Db,
  orgId: string,
  state: Exclude<OpenState, 'delivering'>,
): Promise<string[]> {
  if (state === 'cancelled') {
    const { rows } = await sql<{ id: string }>`
      ${waitingIds}
      SELECT id FROM waiting WHERE id IS NOT NULL AND ${ownerOfWaiting} = ${orgId} AND NOT EXISTS (
        SELECT 1 FROM destinations WHERE destinations.org_id = ${orgId} AND destinations.id = waiting.id)`.execute(
      db,
    );
    return rows.map(({ id }) => id);
  }
  const rows = await db
    .selectFrom('destinations')
    .select('id')
    .where('org_id', '=', orgId)
    .where(state === 'held' ? isHeld : sql<SqlBool>`NOT ${isHeld}`)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * No more are claimed at once than all nodes can send, so these are found by their tokens and sorted. Compared as an
 * expression, the organisation does not tempt a planner to go through all that it ever delivered.
 */
const delivering = (orgId: string, filter: DeliveryFilter, page: Page) => sql`
  SELECT id FROM deliveries
  WHERE state = 'delivering' AND lease_token IS NOT NULL AND org_id || '' = ${orgId}
    ${filter.destination === undefined ? sql`` : sql`AND destination_id || '' = ${filter.destination}`}
    ${narrowed(filter, page)}
  ORDER BY id || '' DESC ${upTo(page)}`;

/** The code is compared as an expression: its own index holds all that ever died with it. */
const narrowed = ({ pipeline, code, status, madeAfter, madeBefore }: DeliveryFilter, { below }: Page) => sql`
  AND id < ${below ?? ALL} ${madeAfter === undefined ? sql`` : sql`AND id >= ${idFloor('dlv', madeAfter + 1)}`}
  ${madeBefore === undefined ? sql`` : sql`AND id < ${idFloor('dlv', madeBefore)}`} ${pipeline === undefined ? sql`` : sql`AND pipeline_id = ${pipeline}`}
  ${code === undefined ? sql`` : sql`AND code || '' = ${code}`}
  ${status === undefined ? sql`` : status === null ? gotNoResponse : sql`AND attempt_status = ${status}`}`;

/** An attempt failed without one; what was never sent has no code. */
const gotNoResponse = sql`AND attempt_status IS NULL AND code IS NOT NULL`;

const upTo = ({ limit }: Page) => (limit === undefined ? sql`` : sql`LIMIT ${limit}`);
