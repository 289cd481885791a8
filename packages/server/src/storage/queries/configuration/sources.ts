import { sql } from 'kysely';
import type {
  AuthMode,
  Rejection,
  Source,
  SourceChange,
  WebhookSource,
} from '../../../core/stores/configuration/sources.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Schema } from '../../schema.ts';
import { takeOut } from './take-out.ts';

/** Sources, what the ingest endpoints saw of them, and what they rejected. */

const REJECTIONS_KEPT = 1_000;
/** A statement has room for a limited number of values. */
const REJECTIONS_A_STATEMENT = 1_000;

function toSource(row: Schema['sources']): Source {
  const base = {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    enabled: row.enabled === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastEventAt: row.last_event_at,
  };
  if (row.kind === 'system') return { ...base, kind: 'system' };
  const expectEveryMinutes = row.expect_every_minutes;
  const sent = expectEveryMinutes === null ? base : { ...base, expectEveryMinutes };
  if (row.kind === 'sdk') return { ...sent, kind: 'sdk', match: row.match ?? '*' };
  return {
    ...sent,
    kind: 'webhook',
    tokenHash: row.token_hash ?? '',
    sealedToken: row.sealed_token ?? '',
    auth: row.auth as AuthMode,
    sealedSecret: row.sealed_secret ?? '',
    previousSealedSecret: row.previous_sealed_secret,
    previousSecretUntil: row.previous_secret_until,
    ratePerSecond: row.rate_per_second ?? 0,
    rateBurst: row.rate_burst ?? 0,
    provider: row.provider,
    providerOptions: JSON.parse(row.provider_options ?? '{}') as WebhookSource['providerOptions'],
    sealedVerifyToken: row.sealed_verify_token,
    typeFrom: JSON.parse(row.type_from ?? 'null') as WebhookSource['typeFrom'],
  };
}

/** The columns of a change; those that it does not name are undefined and stay as they are. */
const toChangedColumns = (change: SourceChange) => ({
  name: change.name,
  enabled: change.enabled === undefined ? undefined : Number(change.enabled),
  match: change.match,
  auth: change.auth,
  sealed_secret: change.sealedSecret,
  previous_sealed_secret: change.previousSealedSecret,
  previous_secret_until: change.previousSecretUntil,
  rate_per_second: change.ratePerSecond,
  rate_burst: change.rateBurst,
  provider: change.provider,
  provider_options: textOf(change.providerOptions),
  sealed_verify_token: change.sealedVerifyToken,
  type_from: textOf(change.typeFrom),
  expect_every_minutes: change.expectEveryMinutes,
});

/** Undefined stays as it is, null is none. */
const textOf = (value: object | null | undefined): string | null | undefined =>
  value ? JSON.stringify(value) : value;

export const createSource: Operation<ConfigurationStore['createSource']> = async (db, source) => {
  await db
    .insertInto('sources')
    .values({
      ...toChangedColumns(source),
      id: source.id,
      org_id: source.orgId,
      kind: source.kind,
      name: source.name,
      enabled: Number(source.enabled),
      token_hash: source.kind === 'webhook' ? source.tokenHash : null,
      sealed_token: source.kind === 'webhook' ? source.sealedToken : null,
      created_at: source.createdAt,
      updated_at: source.updatedAt,
    })
    .execute();
};

export const listSources: Operation<ConfigurationStore['listSources']> = async (db, orgId) =>
  (
    await db.selectFrom('sources').selectAll().where('org_id', '=', orgId).orderBy('id', 'desc').execute()
  ).map(toSource);

export const findSource: Operation<ConfigurationStore['findSource']> = async (db, orgId, id) => {
  const row = await db
    .selectFrom('sources')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? toSource(row) : null;
};

/** A source that was being made while its organisation was deleted takes nothing in. */
export const findSourceByTokenHash: Operation<ConfigurationStore['findSourceByTokenHash']> = async (
  db,
  tokenHash,
) => {
  const row = await db
    .selectFrom('sources')
    .innerJoin('organisations', 'organisations.id', 'sources.org_id')
    .selectAll('sources')
    .where('sources.token_hash', '=', tokenHash)
    .executeTakeFirst();
  return row ? (toSource(row) as WebhookSource) : null;
};

export const updateSource: Operation<ConfigurationStore['updateSource']> = async (
  db,
  orgId,
  id,
  change,
  at,
) =>
  (await db
    .updateTable('sources')
    .set({ ...toChangedColumns(change), updated_at: at })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()) !== undefined;

export const deleteSource: Operation<ConfigurationStore['deleteSource']> = async (db, orgId, id, by, at) => {
  const deleted = await db
    .deleteFrom('sources')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('kind', '<>', 'system')
    .returning('id')
    .executeTakeFirst();
  if (!deleted) return false;
  await db.deleteFrom('rejections').where('source_id', '=', id).execute();
  await takeOut(db, orgId, { part: 'sources', id }, by, at);
  return true;
};

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

export const recordActivity: Operation<ConfigurationStore['recordActivity']> = async (
  db,
  { keysUsed, sourcesSeen, rejections },
) => {
  // In one order, so that two nodes that update the same ones cannot deadlock.
  for (const { id, at } of keysUsed.toSorted(byId)) {
    await db.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute();
  }
  for (const { id, at } of sourcesSeen.toSorted(byId)) {
    await db.updateTable('sources').set({ last_event_at: at }).where('id', '=', id).execute();
  }
  if (rejections.length === 0) return;
  const rows = rejections.map((rejection, n) => ({
    source_id: rejection.sourceId,
    org_id: rejection.orgId,
    at: rejection.at,
    n,
    code: rejection.code,
    message: rejection.message,
    address: rejection.address ?? '',
    headers: rejection.headers ?? '',
  }));
  for (let from = 0; from < rows.length; from += REJECTIONS_A_STATEMENT) {
    const some = rows.slice(from, from + REJECTIONS_A_STATEMENT);
    await db.insertInto('rejections').values(some).execute();
  }
  for (const sourceId of new Set(rejections.map(rejection => rejection.sourceId))) {
    const oldestKept = await db
      .selectFrom('rejections')
      .select('at')
      .where('source_id', '=', sourceId)
      .orderBy('at', 'desc')
      .orderBy('n', 'desc')
      .offset(REJECTIONS_KEPT - 1)
      .limit(1)
      .executeTakeFirst();
    if (!oldestKept) continue;
    await db
      .deleteFrom('rejections')
      .where('source_id', '=', sourceId)
      .where('at', '<', oldestKept.at)
      .execute();
  }
};

export const listRejections: Operation<ConfigurationStore['listRejections']> = async (
  db,
  orgId,
  sourceId,
  limit,
) =>
  (
    await db
      .selectFrom('rejections')
      .selectAll()
      .where('org_id', '=', orgId)
      .where('source_id', '=', sourceId)
      .orderBy('at', 'desc')
      .orderBy('n', 'desc')
      .limit(Math.min(limit, REJECTIONS_KEPT))
      .execute()
  ).map(toRejection);

const toRejection = (row: Schema['rejections']): Rejection => ({
  sourceId: row.source_id,
  orgId: row.org_id,
  at: row.at,
  code: row.code,
  message: row.message,
  address: row.address || null,
  headers: row.headers || null,
});

export const groupRejections: Operation<ConfigurationStore['groupRejections']> = async (
  db,
  orgId,
  sourceId,
  most,
) => {
  const kept = db.selectFrom('rejections').where('org_id', '=', orgId).where('source_id', '=', sourceId);
  const groups = await kept
    .select(eb => [
      'code',
      'message',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min('at').as('first_at'),
      eb.fn.max('at').as('last_at'),
    ])
    .groupBy(['code', 'message'])
    .orderBy('last_at', 'desc')
    .orderBy('code')
    .orderBy('message')
    .limit(most.groups)
    .execute();
  const placed = kept
    .selectAll()
    .select(sql<number>`row_number() OVER (PARTITION BY code, message ORDER BY at DESC, n DESC)`.as('place'));
  const latest = await db
    .selectFrom(placed.as('placed'))
    .selectAll()
    .where('place', '<=', most.ofEach)
    .orderBy('place')
    .execute();
  const keyOf = (one: { code: string; message: string }) => `${one.code}\n${one.message}`;
  const byReason = Map.groupBy(latest, keyOf);
  return groups.map(group => ({
    code: group.code,
    message: group.message,
    count: Number(group.count),
    firstAt: Number(group.first_at),
    lastAt: Number(group.last_at),
    latest: (byReason.get(keyOf(group)) ?? []).map(toRejection),
  }));
};
