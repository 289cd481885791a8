import { type SqlBool, sql } from 'kysely';
import { matchesTraits } from '../../../core/entities/trait.ts';
import { toChanged } from '../../../core/entities/write.ts';
import { formatPath } from '../../../core/expressions/path.ts';
import type {
  EntityFilter,
  EntityPage,
  EntityStore,
  PageRequest,
  TraitFilter,
} from '../../../core/stores/entities.ts';
import type { Operation } from '../../operation.ts';
import type { Db } from '../../schema.ts';
import { indexedText } from '../../searchable-traits.ts';
import { eachText } from './each-text.ts';
import { type EntityRow, entityColumns, toStoredEntity } from './entities.ts';
import { isIndexed, readSearchable } from './index.ts';

/** The list of entities: filtered by kind, id and traits, with an index where one can answer. */

/**
 * Newest change first. A row keeps its place in that order for as long as it does not change, so going on below
 * the last row seen neither skips nor repeats one that did not, whatever else is written meanwhile.
 *
 * Each kind has its order in an index; a list of all kinds is merged from theirs.
 */
interface Place {
  readonly changed: number;
  readonly id: string;
}

/** A search without an index looks at this many entities at a time, and lets other readers in between. */
const SLICE = 4_000;
/** How many are looked into at once; each may have all the traits that an entity may have. */
const CHUNK = 200;

export const listEntities: Operation<EntityStore['listEntities']> = async (db, orgId, filter, page) => {
  const index = filter.externalId === undefined ? await findIndex(db, orgId, filter.traits ?? []) : null;
  if (index !== null) {
    const found = await listFrom(db, orgId, filter, page, index.trait);
    // Whoever declares other traits meanwhile takes rows out of the index under this list.
    const now = await findIndex(db, orgId, filter.traits ?? []);
    if (now?.tag === index.tag) return found;
  }
  return listFrom(db, orgId, filter, page, null);
};

async function listFrom(
  db: Db,
  orgId: string,
  filter: EntityFilter,
  page: PageRequest & { readonly budgetMs: number },
  indexed: TraitFilter | null,
): Promise<EntityPage> {
  const traits = filter.traits ?? [];
  const { next, isExact } = await candidatesOf(db, orgId, filter, indexed);
  const deadline = performance.now() + page.budgetMs;
  const found: EntityRow[] = [];
  let place = page.position === null ? null : readPlace(page.position);
  for (;;) {
    const wanted = isExact ? page.limit + 1 - found.length : CHUNK;
    const { rows, end } = await next(place, wanted);
    for (const row of rows) {
      if (traits.length === 0 || matchesTraits(row.traits, traits)) found.push(row);
      if (found.length > page.limit) return answerOf(found.slice(0, page.limit), found[page.limit - 1]);
    }
    if (end === null) return answerOf(found, undefined);
    place = end;
    if (performance.now() > deadline) return answerOf(found, place);
    await new Promise(resolve => setImmediate(resolve));
  }
}

const answerOf = (rows: readonly EntityRow[], end: Place | undefined) => ({
  entities: rows.map(toStoredEntity),
  next: end === undefined ? null : `${end.changed} ${end.id}`,
});

function readPlace(position: string): Place {
  const [changed = '', id = ''] = position.split(' ');
  return { changed: Number(changed), id };
}

/** The next rows below a place that may match, and where to look after them; null at the end. */
type Candidates = (below: Place | null, limit: number) => Promise<{ rows: EntityRow[]; end: Place | null }>;

async function candidatesOf(
  db: Db,
  orgId: string,
  filter: EntityFilter,
  indexed: TraitFilter | null,
): Promise<{ next: Candidates /** All of them match. */; isExact: boolean }> {
  const { traits = [], externalId } = filter;
  const plainly: KindQuery = (kind, below) => matching(db, orgId, { ...filter, kind }, below);
  // There are as many of these as there are kinds, so they need no order beforehand.
  if (externalId !== undefined) {
    return { next: inOrder([filter.kind], plainly), isExact: traits.length === 0 };
  }
  if (indexed !== null) {
    const kinds = filter.kind === undefined ? await kindsWith(db, orgId, indexed) : [filter.kind];
    const next = inOrder(kinds, (kind, below) => withTrait(db, orgId, kind, indexed, filter, below));
    return { next, isExact: traits.length === 1 };
  }
  const kinds = filter.kind === undefined ? await kindsOf(db, orgId) : [filter.kind];
  return traits.length === 0
    ? { next: inOrder(kinds, plainly), isExact: true }
    : { next: sliceBySlice(db, orgId, kinds, filter), isExact: false };
}

/**
 * The filter that the index of searchable traits can answer now, and the set it is indexed under; null where none can.
 */
async function findIndex(
  db: Db,
  orgId: string,
  traits: readonly TraitFilter[],
): Promise<{ readonly trait: TraitFilter; readonly tag: string } | null> {
  if (traits.length === 0) return null;
  const searchable = await readSearchable(db, orgId);
  const trait = traits.find(({ path }) => searchable.traits.some(({ name }) => name === formatPath(path)));
  if (trait === undefined || !(await isIndexed(db, orgId, searchable))) return null;
  return { trait, tag: searchable.tag };
}

type KindQuery = (
  kind: string | undefined,
  below: Place | null,
) => { limit(n: number): { execute(): Promise<EntityRow[]> } };

/** Whatever comes off an index in order, of one kind or merged from several. */
const inOrder =
  (kinds: readonly (string | undefined)[], query: KindQuery): Candidates =>
  async (below, limit) => {
    const rows: EntityRow[] = [];
    for (const kind of kinds) rows.push(...(await query(kind, below).limit(limit).execute()));
    const merged = rows.sort(newestFirst).slice(0, limit);
    return { rows: merged, end: merged.length < limit ? null : (merged.at(-1) ?? null) };
  };

const newestFirst = (a: Place, b: Place): number => b.changed - a.changed || (a.id < b.id ? 1 : -1);

/** What no index answers: the text of the traits is looked through, a slice of the entities at a time. */
function sliceBySlice(db: Db, orgId: string, kinds: readonly string[], filter: EntityFilter): Candidates {
  let slice: { readonly end: Place | null } | null = null;
  return async (below, limit) => {
    slice ??= { end: await endOfSlice(db, orgId, kinds, filter, below) };
    const { end } = slice;
    const within = inOrder(kinds, (kind, from) => {
      let query = matching(db, orgId, { ...filter, kind }, from);
      for (const trait of filter.traits ?? []) query = query.where(mayHold(trait));
      return end === null ? query : query.where(sql<SqlBool>`(changed, id) >= (${end.changed}, ${end.id})`);
    });
    const found = await within(below, limit);
    if (found.end !== null) return found;
    slice = null;
    return { rows: found.rows, end };
  };
}

/** The last row of the slice; null where the slice is the rest. */
async function endOfSlice(
  db: Db,
  orgId: string,
  kinds: readonly string[],
  filter: EntityFilter,
  below: Place | null,
): Promise<Place | null> {
  const ends: Place[] = [];
  for (const kind of kinds) {
    const [end] = await matching(db, orgId, { ...filter, kind }, below)
      .clearSelect()
      .select(['entities.id', 'entities.changed'])
      .offset(Math.ceil(SLICE / kinds.length))
      .limit(1)
      .execute();
    if (end !== undefined) ends.push(end);
  }
  return ends.sort(newestFirst)[0] ?? null;
}

/** By all but the traits. */
function matching(db: Db, orgId: string, filter: EntityFilter, below: Place | null) {
  let query = db.selectFrom('entities').select(entityColumns).where('entities.org_id', '=', orgId);
  const { kind, externalId, updatedAfter } = filter;
  if (kind !== undefined) query = query.where('entities.kind', '=', kind);
  if (externalId !== undefined) query = query.where('entities.external_id', '=', externalId);
  if (updatedAfter !== undefined) query = query.where('entities.changed', '>=', toChanged(updatedAfter + 1));
  if (below !== null) query = query.where(sql<SqlBool>`(changed, id) < (${below.changed}, ${below.id})`);
  return query.orderBy('entities.changed', 'desc').orderBy('entities.id', 'desc');
}

/** Traits that match hold the text somewhere, as JSON writes it: what does not is not even fetched. */
function mayHold({ text }: TraitFilter) {
  const needle = JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\\%_]/g, '\\$&');
  return sql<SqlBool>`entities.traits LIKE ${`%${needle}%`} ESCAPE '\\'`;
}

function withTrait(
  db: Db,
  orgId: string,
  kind: string | undefined,
  { path, text }: TraitFilter,
  { updatedAfter }: EntityFilter,
  below: Place | null,
) {
  let query = db
    .selectFrom('entity_traits as known')
    .innerJoin('entities', 'entities.id', 'known.entity_id')
    .select(entityColumns)
    .where('known.org_id', '=', orgId)
    .where('known.trait', '=', formatPath(path))
    .where('known.value', '=', indexedText(text))
    .where('known.kind', '=', kind ?? '');
  if (updatedAfter !== undefined) query = query.where('known.changed', '>=', toChanged(updatedAfter + 1));
  if (below !== null) {
    query = query.where(sql<SqlBool>`(known.changed, known.entity_id) < (${below.changed}, ${below.id})`);
  }
  return query.orderBy('known.changed', 'desc').orderBy('known.entity_id', 'desc');
}

const kindsOf = (db: Db, orgId: string): Promise<string[]> =>
  eachText(async after => {
    const next = await db
      .selectFrom('entities')
      .select('kind')
      .where('org_id', '=', orgId)
      .where('kind', '>', after)
      .orderBy('kind')
      .limit(1)
      .executeTakeFirst();
    return next?.kind;
  });

const kindsWith = (db: Db, orgId: string, { path, text }: TraitFilter): Promise<string[]> =>
  eachText(async after => {
    const next = await db
      .selectFrom('entity_traits')
      .select('kind')
      .where('org_id', '=', orgId)
      .where('trait', '=', formatPath(path))
      .where('value', '=', indexedText(text))
      .where('kind', '>', after)
      .orderBy('kind')
      .limit(1)
      .executeTakeFirst();
    return next?.kind;
  });
