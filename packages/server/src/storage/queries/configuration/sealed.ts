import { sql } from 'kysely';
import type { SealedRecord } from '../../../core/stores/configuration/sealed.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';

/** Whatever has sealed secrets inside, for whoever seals it again. */

export const listSealed: Operation<ConfigurationStore['listSealed']> = (db, sort, after, limit) =>
  lists[sort](db, after, limit);

type List = (db: Db, after: SealedRecord | null, limit: number) => Promise<SealedRecord[]>;

const sources: List = async (db, after, limit) => {
  const rows = await db
    .selectFrom('sources')
    .select([
      'org_id',
      'id',
      'sealed_token',
      'sealed_secret',
      'previous_sealed_secret',
      'sealed_verify_token',
    ])
    .where('kind', '=', 'webhook')
    .where(sql<boolean>`(org_id, id) > (${after?.orgId ?? ''}, ${after?.id ?? ''})`)
    .orderBy('org_id')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(row => ({
    sort: 'source',
    orgId: row.org_id,
    id: row.id,
    version: 0,
    kind: '',
    texts: {
      ...(row.sealed_token === null ? {} : { token: row.sealed_token }),
      ...(row.sealed_secret === null ? {} : { secret: row.sealed_secret }),
      ...(row.previous_sealed_secret === null ? {} : { previous_secret: row.previous_sealed_secret }),
      ...(row.sealed_verify_token === null ? {} : { verify_token: row.sealed_verify_token }),
    },
  }));
};

const destinations: List = async (db, after, limit) => {
  const rows = await db
    .selectFrom('destinations')
    .select(['org_id', 'id', 'kind', 'config'])
    .where(sql<boolean>`(org_id, id) > (${after?.orgId ?? ''}, ${after?.id ?? ''})`)
    .orderBy('org_id')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ org_id: orgId, id, kind, config }) => ({
    sort: 'destination',
    orgId,
    id,
    version: 0,
    kind,
    texts: { config },
  }));
};

const pipelines: List = async (db, after, limit) => {
  const { orgId = '', id = '', version = 0 } = after ?? {};
  const rows = await db
    .selectFrom('pipeline_versions')
    .select(['org_id', 'pipeline_id', 'version', 'definition'])
    .where(sql<boolean>`(org_id, pipeline_id, version) > (${orgId}, ${id}, CAST(${version} AS BIGINT))`)
    .orderBy('org_id')
    .orderBy('pipeline_id')
    .orderBy('version')
    .limit(limit)
    .execute();
  return rows.map(row => ({
    sort: 'pipeline',
    orgId: row.org_id,
    id: row.pipeline_id,
    version: row.version,
    kind: '',
    texts: { definition: row.definition },
  }));
};

const secondFactors: List = async (db, after, limit) => {
  const rows = await db
    .selectFrom('second_factors')
    .select(['user_id', 'sealed_secret'])
    .where('user_id', '>', after?.id ?? '')
    .orderBy('user_id')
    .limit(limit)
    .execute();
  return rows.map(row => ({
    sort: 'second_factor',
    orgId: '',
    id: row.user_id,
    version: 0,
    kind: '',
    texts: { secret: row.sealed_secret },
  }));
};

const lists = {
  source: sources,
  destination: destinations,
  pipeline: pipelines,
  second_factor: secondFactors,
};

export const replaceSealed: Operation<ConfigurationStore['replaceSealed']> = async (db, replacements) => {
  const replaced: boolean[] = [];
  for (const { record, texts } of replacements) replaced.push(await replace(db, record, texts));
  return replaced;
};

async function replace(db: Db, record: SealedRecord, texts: SealedRecord['texts']): Promise<boolean> {
  const { sort, orgId, id, version } = record;
  const changed = Object.keys(texts).filter(name => texts[name] !== record.texts[name]);
  const before = (name: string) => record.texts[name] ?? '';
  if (sort === 'destination') {
    const row = await db
      .updateTable('destinations')
      .set({ config: texts.config ?? '' })
      .where('org_id', '=', orgId)
      .where('id', '=', id)
      .where('config', '=', before('config'))
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  }
  if (sort === 'pipeline') {
    const row = await db
      .updateTable('pipeline_versions')
      .set({ definition: texts.definition ?? '' })
      .where('org_id', '=', orgId)
      .where('pipeline_id', '=', id)
      .where('version', '=', version)
      .where('definition', '=', before('definition'))
      .returning('version')
      .executeTakeFirst();
    return row !== undefined;
  }
  if (sort === 'second_factor') {
    const row = await db
      .updateTable('second_factors')
      .set({ sealed_secret: texts.secret ?? '' })
      .where('user_id', '=', id)
      .where('sealed_secret', '=', before('secret'))
      .returning('user_id')
      .executeTakeFirst();
    return row !== undefined;
  }
  let update = db.updateTable('sources').where('org_id', '=', orgId).where('id', '=', id);
  for (const name of changed) {
    const column = sourceColumns[name as keyof typeof sourceColumns];
    update = update.set({ [column]: texts[name] }).where(column, '=', before(name));
  }
  return (await update.returning('id').executeTakeFirst()) !== undefined;
}

const sourceColumns = {
  token: 'sealed_token',
  secret: 'sealed_secret',
  previous_secret: 'previous_sealed_secret',
  verify_token: 'sealed_verify_token',
} as const;
