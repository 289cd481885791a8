import { SAME_AS } from '../../../core/entities/link.ts';
import { Problem } from '../../../core/errors.ts';
import type { EntityLink, EntityStore, NewLink } from '../../../core/stores/entities.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { findEntityId } from './entities.ts';

/** Links between entities: made, removed and listed. */

/** The link may go again between being in the way and being looked at; not for ever. */
const MOST_TRIES = 5;

export const linkEntities: Operation<EntityStore['linkEntities']> = async (db, orgId, link, at) => {
  const { relation } = link;
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const ends = await findEnds(db, orgId, link);
    if (ends === null) return null;
    const made = await db
      .insertInto('entity_links')
      .values({ org_id: orgId, from_id: ends.from, relation, to_id: ends.to, created_at: at })
      .onConflict(conflict => conflict.doNothing())
      .returning('created_at')
      .executeTakeFirst();
    if (made !== undefined) return { link: { ...link, createdAt: at }, made: true };
    const there = await edgesBetween(db, orgId, relation, ends.from, ends.to).executeTakeFirst();
    if (there !== undefined) return { link: toLink(there), made: false };
  }
  throw new Problem('storage_unavailable', { retryAfter: 1 });
};

async function findEnds(db: Db, orgId: string, link: NewLink): Promise<{ from: string; to: string } | null> {
  const from = await findEntityId(db, orgId, link.from);
  const to = await findEntityId(db, orgId, link.to);
  return from === null || to === null ? null : { from, to };
}

export const unlinkEntities: Operation<EntityStore['unlinkEntities']> = async (db, orgId, link) => {
  const ends = await findEnds(db, orgId, link);
  if (ends === null) return false;
  const there = await edgesBetween(db, orgId, link.relation, ends.from, ends.to).executeTakeFirst();
  if (there === undefined) return false;
  const gone = await db
    .deleteFrom('entity_links')
    .where('org_id', '=', orgId)
    .where('relation', '=', link.relation)
    .where('from_id', '=', there.from_id)
    .where('to_id', '=', there.to_id)
    .returning('from_id')
    .execute();
  return gone.length > 0;
};

/** Without a direction, an edge is found from either end. */
const edgesBetween = (db: Db, orgId: string, relation: string, from: string, to: string) =>
  edgesWithEnds(db, orgId)
    .where('link.relation', '=', relation)
    .where(eb => {
      const forwards = eb.and([eb('link.from_id', '=', from), eb('link.to_id', '=', to)]);
      const backwards = eb.and([eb('link.from_id', '=', to), eb('link.to_id', '=', from)]);
      return relation === SAME_AS ? eb.or([forwards, backwards]) : forwards;
    });

const edgesWithEnds = (db: Db, orgId: string) =>
  db
    .selectFrom('entity_links as link')
    .innerJoin('entities as near', 'near.id', 'link.from_id')
    .innerJoin('entities as far', 'far.id', 'link.to_id')
    .select([
      'link.from_id',
      'link.to_id',
      'link.relation',
      'link.created_at',
      'near.kind as from_kind',
      'near.external_id as from_external_id',
      'far.kind as to_kind',
      'far.external_id as to_external_id',
    ])
    .where('link.org_id', '=', orgId);

interface EdgeRow extends Omit<Schema['entity_links'], 'org_id'> {
  readonly from_kind: string;
  readonly from_external_id: string;
  readonly to_kind: string;
  readonly to_external_id: string;
}

const toLink = (row: EdgeRow): EntityLink => ({
  relation: row.relation,
  from: { kind: row.from_kind, externalId: row.from_external_id },
  to: { kind: row.to_kind, externalId: row.to_external_id },
  createdAt: row.created_at,
});

type Side = 'out' | 'in';

/** First what leads away from it, then what leads to it; each by relation and then by the other end. */
export const listEntityLinks: Operation<EntityStore['listEntityLinks']> = async (
  db,
  orgId,
  entity,
  direction,
  page,
) => {
  const id = await findEntityId(db, orgId, entity);
  if (id === null) return null;
  const [begin = 'out', relation = '', other = ''] = page.position?.split(' ') ?? [];
  const found: (EdgeRow & { side: Side })[] = [];
  for (const side of ['out', 'in'] as const) {
    if (side === 'out' && begin === 'in') continue;
    const after = side === begin && relation !== '' ? { relation, other } : null;
    const wanted = page.limit + 1 - found.length;
    const rows = await edgesOf(db, orgId, id, side, direction, after).limit(wanted).execute();
    found.push(...rows.map(row => ({ ...row, side })));
    if (found.length > page.limit) break;
  }
  const last = found.length > page.limit ? found[page.limit - 1] : undefined;
  return {
    links: found.slice(0, page.limit).map(toLink),
    next: last ? `${last.side} ${last.relation} ${last.side === 'out' ? last.to_id : last.from_id}` : null,
  };
};

function edgesOf(
  db: Db,
  orgId: string,
  id: string,
  side: Side,
  direction: Side | null,
  after: { relation: string; other: string } | null,
) {
  const [own, other] = side === 'out' ? (['from_id', 'to_id'] as const) : (['to_id', 'from_id'] as const);
  let query = edgesWithEnds(db, orgId).where(`link.${own}`, '=', id);
  // What has no direction is there whichever is asked for.
  if (direction !== null && direction !== side) query = query.where('link.relation', '=', SAME_AS);
  if (after !== null) {
    query = query.where(eb =>
      eb.or([
        eb('link.relation', '>', after.relation),
        eb.and([eb('link.relation', '=', after.relation), eb(`link.${other}`, '>', after.other)]),
      ]),
    );
  }
  return query.orderBy('link.relation').orderBy(`link.${other}`);
}
