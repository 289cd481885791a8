import { MOST_GRAPH_NODES, SAME_AS } from '../../../core/entities/link.ts';
import type { EntityLink, EntityStore, TimedEntity } from '../../../core/stores/entities.ts';
import type { Operation } from '../../operation.ts';
import type { Db, Schema } from '../../schema.ts';
import { entityColumns, findEntityId, toTimedEntity } from './entities.ts';

/** Walks along links: the graph around an entity, and the members of its identity. */

/** What one answer may hold beside its nodes. */
const MOST_EDGES = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** Entities whose links are looked up in one statement, and entities that are read in one. */
const AT_ONCE = 50;
const READ_AT_ONCE = 200;

export const findEntityGraph: Operation<EntityStore['findEntityGraph']> = async (
  db,
  orgId,
  entity,
  depth,
) => {
  const start = await findEntityId(db, orgId, entity);
  if (start === null) return null;
  const walked = await walk(db, orgId, start, { depth, relation: null, mostEdges: MOST_EDGES });
  const loaded = await load(db, walked.ids);
  const edges = walked.edges.flatMap(edge => {
    const [from, to] = [loaded.entities.get(edge.from_id), loaded.entities.get(edge.to_id)];
    return from && to ? [toLink(edge, from, to)] : [];
  });
  return {
    nodes: [...loaded.entities.values()],
    edges,
    truncated: walked.truncated || loaded.truncated,
  };
};

/**
 * Walked each time, never cached: so a link that is removed splits an identity just as it was joined, and no
 * order of merging can matter. A link costs one look at an index, and an identity is small.
 */
export const findIdentityMembers: Operation<EntityStore['findIdentityMembers']> = async (
  db,
  orgId,
  entity,
) => {
  const start = await findEntityId(db, orgId, entity);
  if (start === null) return null;
  const walked = await walk(db, orgId, start, {
    depth: Number.POSITIVE_INFINITY,
    relation: SAME_AS,
    // No more of them can lead from so many entities to so many others.
    mostEdges: AT_ONCE * MOST_GRAPH_NODES,
  });
  const loaded = await load(db, walked.ids);
  const members = [...loaded.entities.values()].sort((a, b) =>
    a.kind === b.kind ? (a.externalId < b.externalId ? -1 : 1) : a.kind < b.kind ? -1 : 1,
  );
  return { members, truncated: walked.truncated || loaded.truncated };
};

type Edge = Omit<Schema['entity_links'], 'org_id'>;

/** Level by level from the start, along edges either way, until there is nothing new or too much of it. */
async function walk(
  db: Db,
  orgId: string,
  start: string,
  options: { readonly depth: number; readonly relation: string | null; readonly mostEdges: number },
): Promise<{ ids: string[]; edges: Edge[]; truncated: boolean }> {
  const seen = new Set([start]);
  const edges = new Map<string, Edge>();
  let truncated = false;
  let level = [start];
  for (let depth = 0; depth < options.depth && level.length > 0 && !truncated; depth++) {
    const reached: string[] = [];
    for (let at = 0; at < level.length && !truncated; at += AT_ONCE) {
      const found = await edgesAt(db, orgId, level.slice(at, at + AT_ONCE), options);
      for (const edge of found.edges) {
        const fresh = [edge.from_id, edge.to_id].filter(id => !seen.has(id));
        if (seen.size + fresh.length > MOST_GRAPH_NODES || edges.size === options.mostEdges) {
          truncated = true;
          continue;
        }
        for (const id of fresh) seen.add(id);
        reached.push(...fresh);
        if (options.relation === null) edges.set(`${edge.from_id} ${edge.relation} ${edge.to_id}`, edge);
      }
      truncated ||= found.truncated;
      // Others may ask in between.
      await new Promise(resolve => setImmediate(resolve));
    }
    level = reached;
  }
  return { ids: [...seen], edges: [...edges.values()], truncated };
}

async function edgesAt(
  db: Db,
  orgId: string,
  ids: readonly string[],
  { relation, mostEdges }: { readonly relation: string | null; readonly mostEdges: number },
): Promise<{ edges: Edge[]; truncated: boolean }> {
  const edges: Edge[] = [];
  let truncated = false;
  for (const side of ['from_id', 'to_id'] as const) {
    let query = db
      .selectFrom('entity_links')
      .select(['from_id', 'relation', 'to_id', 'created_at'])
      .where('org_id', '=', orgId)
      .where(side, 'in', ids);
    if (relation !== null) query = query.where('relation', '=', relation);
    const found = await query.limit(mostEdges + 1).execute();
    truncated ||= found.length > mostEdges;
    edges.push(...found.slice(0, mostEdges));
  }
  return { edges, truncated };
}

/** By id, in the order walked, as far as they fit into one answer. One deleted meanwhile is left out. */
async function load(db: Db, ids: readonly string[]) {
  const entities = new Map<string, TimedEntity>();
  let bytes = 0;
  for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
    const slice = ids.slice(at, at + READ_AT_ONCE);
    const rows = await db
      .selectFrom('entities')
      .select(entityColumns)
      .select('trait_times')
      .where('id', 'in', slice)
      .execute();
    const found = new Map(rows.map(row => [row.id, row]));
    for (const id of slice) {
      const row = found.get(id);
      if (row === undefined) continue;
      if (bytes > MOST_BYTES) return { entities, truncated: true };
      bytes += row.traits.length;
      entities.set(id, toTimedEntity(row));
    }
  }
  return { entities, truncated: false };
}

const toLink = (edge: Edge, from: TimedEntity, to: TimedEntity): EntityLink => ({
  relation: edge.relation,
  from: { kind: from.kind, externalId: from.externalId },
  to: { kind: to.kind, externalId: to.externalId },
  createdAt: edge.created_at,
});
