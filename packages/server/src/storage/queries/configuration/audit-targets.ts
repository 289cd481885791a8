import { sql } from 'kysely';
import type { AuditTarget } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/** What the records of the audit log are called: by the tables that hold them, or by what the log says of them. */

type Names = (
  db: Db,
  orgId: string,
  ids: readonly string[],
) => Promise<readonly { readonly id: string; readonly name: string }[]>;

const configured =
  (table: 'sources' | 'pipelines' | 'destinations' | 'api_keys' | 'test_events'): Names =>
  (db, orgId, ids) =>
    db.selectFrom(table).select(['id', 'name']).where('org_id', '=', orgId).where('id', 'in', ids).execute();

/** By the prefix of the id. Everything is asked for with the organisation: an id of another names nothing here. */
const namesByPrefix: Readonly<Record<string, Names>> = {
  src: configured('sources'),
  pipe: configured('pipelines'),
  dst: configured('destinations'),
  key: configured('api_keys'),
  tev: configured('test_events'),
  // What people call their own views is for them alone.
  view: (db, orgId, ids) =>
    db
      .selectFrom('saved_views')
      .select(['id', 'name'])
      .where('org_id', '=', orgId)
      .where('user_id', 'is', null)
      .where('id', 'in', ids)
      .execute(),
  org: (db, orgId, ids) =>
    db
      .selectFrom('organisations')
      .select(['id', 'name'])
      .where('id', '=', orgId)
      .where('id', 'in', ids)
      .execute(),
  usr: (db, orgId, ids) =>
    db
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select(['users.id', 'users.email as name'])
      .where('memberships.org_id', '=', orgId)
      .where('users.id', 'in', ids)
      .execute(),
  inv: (db, orgId, ids) =>
    db
      .selectFrom('invitations')
      .select(['id', 'email as name'])
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .execute(),
  job: (db, orgId, ids) =>
    db
      .selectFrom('jobs')
      .select(['id', 'kind as name'])
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .execute(),
  evt: (db, orgId, ids) =>
    db
      .selectFrom('events')
      .select(['id', 'type as name'])
      .where('org_id', '=', orgId)
      .where('id', 'in', ids)
      .execute(),
  dlv: (db, orgId, ids) =>
    db
      .selectFrom('deliveries')
      .innerJoin('events', join =>
        join.onRef('events.org_id', '=', 'deliveries.org_id').onRef('events.id', '=', 'deliveries.event_id'),
      )
      .select(['deliveries.id', sql<string>`events.type || ' to ' || deliveries.destination_name`.as('name')])
      .where('deliveries.org_id', '=', orgId)
      .where('deliveries.id', 'in', ids)
      .execute(),
};

const prefixOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('_')));

/** Entries that say what the record was called at the time. */
const NAMING = [
  'source.created',
  'source.deleted',
  'pipeline.created',
  'pipeline.deleted',
  'destination.created',
  'destination.deleted',
  'key.renamed',
  'key.revoked',
  'member.invited',
  'member.removed',
  'invitation.withdrawn',
  'organisation.created',
  'organisation.deleted',
  'test_event.deleted',
  'view.deleted',
] as const;

export const nameAuditTargets: Operation<ConfigurationStore['nameAuditTargets']> = async (db, orgId, ids) => {
  const found: AuditTarget[] = [];
  const byPrefix = Map.groupBy(new Set(ids), prefixOf);
  for (const [prefix, some] of byPrefix) {
    const names = Object.hasOwn(namesByPrefix, prefix) ? namesByPrefix[prefix] : undefined;
    if (names === undefined) continue;
    const there = await names(db, orgId, some);
    found.push(...there.map(({ id, name }) => ({ id, name, isGone: false })));
    const known = new Set(there.map(({ id }) => id));
    found.push(
      ...(await namesOfBefore(
        db,
        orgId,
        some.filter(id => !known.has(id)),
      )),
    );
  }
  return found;
};

/** The last name that the log holds of each. */
async function namesOfBefore(db: Db, orgId: string, ids: readonly string[]): Promise<AuditTarget[]> {
  if (ids.length === 0) return [];
  const entries = await db
    .selectFrom('audit')
    .select(['target', 'details'])
    .where('org_id', '=', orgId)
    .where('target', 'in', ids)
    .where('action', 'in', NAMING)
    .orderBy('id')
    .execute();
  const names = new Map<string, string>();
  for (const { target, details } of entries) {
    const { name, email } = JSON.parse(details) as { readonly name?: unknown; readonly email?: unknown };
    const called = name ?? email;
    if (typeof called === 'string') names.set(target, called);
  }
  return Array.from(names, ([id, name]) => ({ id, name, isGone: true }));
}
