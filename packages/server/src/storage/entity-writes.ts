import { applyWrite, type EntityState, type EntityWrite, toMilliseconds } from '../core/entities/write.ts';
import { newId } from '../core/ids.ts';
import type { EntityWriteRequest, EntityWriteResult, StoredEntity } from '../core/stores/entities.ts';
import type { Steps } from '../core/work/in-steps.ts';
import { toAuditRow } from './queries/configuration/audit.ts';
import type { Schema } from './schema.ts';

/** Writes of entities as both engines perform them, on rows that each engine finds and keeps. */

type EntityRow = Schema['entities'];

/** An entity that was written: its row as it is to be kept, but for the index. */
export interface WrittenEntity extends Omit<EntityRow, 'indexed_as'> {
  /** What the index holds of it follows from these; null where it is new. */
  readonly before: Pick<EntityRow, 'traits' | 'changed' | 'indexed_as'> | null;
}

/** What an entity that does not exist yet is taken for. Nobody outside a transaction ever sees a version of 0. */
export const newEntityRow = (orgId: string, write: EntityWrite, indexedAs = ''): EntityRow => ({
  id: newId('ent', toMilliseconds(write.changed)),
  org_id: orgId,
  kind: write.kind,
  external_id: write.externalId,
  traits: '',
  trait_times: '',
  version: 0,
  created_at: 0,
  changed: write.changed,
  indexed_as: indexedAs,
});

/** Neither an organisation's id nor a kind holds a blank. */
export const nameOfRow = (row: Pick<EntityRow, 'org_id' | 'kind' | 'external_id'>): string =>
  `${row.org_id} ${row.kind} ${row.external_id}`;

export const nameOfWrite = (orgId: string, { kind, externalId }: EntityWrite): string =>
  `${orgId} ${kind} ${externalId}`;

/**
 * Performs what many calls ask for on the rows that `find` yields, in order; each call as a whole or not at all.
 * `find` is asked once for each entity, inside the transaction that will keep what is written. A step for each entity:
 * a thousand large ones take long to merge.
 */
export function* performWrites(
  requests: readonly EntityWriteRequest[],
  find: (orgId: string, write: EntityWrite) => EntityRow,
): Steps<{ results: EntityWriteResult[]; written: WrittenEntity[]; records: Schema['audit'][] }> {
  const slots = new Map<string, Slot>();
  const slotOf = (orgId: string, write: EntityWrite): Slot => {
    const name = nameOfWrite(orgId, write);
    const known = slots.get(name);
    if (known !== undefined) return known;
    const slot = toSlot(find(orgId, write));
    slots.set(name, slot);
    return slot;
  };
  const results: EntityWriteResult[] = [];
  for (const { orgId, writes } of requests)
    results.push(yield* perform(writes, write => slotOf(orgId, write)));
  const records = requests.flatMap(({ records = [] }, i) => (results[i]?.kind === 'written' ? records : []));
  return { results, written: [...slots.values()].flatMap(toWritten), records: records.map(toAuditRow) };
}

interface Slot {
  readonly row: EntityRow;
  /** As it will be; null while it does not exist. */
  state: EntityState | null;
  isWritten: boolean;
}

const toSlot = (row: EntityRow): Slot => ({
  row,
  isWritten: false,
  state:
    row.version === 0
      ? null
      : {
          traits: row.traits,
          traitTimes: row.trait_times,
          version: row.version,
          createdAt: row.created_at,
          changed: row.changed,
        },
});

/** What a call wrote counts once all of it could be written. */
function* perform(
  writes: readonly EntityWrite[],
  slotOf: (write: EntityWrite) => Slot,
): Steps<EntityWriteResult> {
  const drafts = new Map<Slot, EntityState>();
  const entities: StoredEntity[] = [];
  for (const [index, write] of writes.entries()) {
    const slot = slotOf(write);
    const state = applyWrite(drafts.get(slot) ?? slot.state, write);
    if (typeof state === 'string') return { kind: 'refused', index, reason: state };
    drafts.set(slot, state);
    entities.push({
      kind: write.kind,
      externalId: write.externalId,
      traits: state.traits,
      version: state.version,
      createdAt: state.createdAt,
      updatedAt: toMilliseconds(state.changed),
    });
    yield;
  }
  for (const [slot, state] of drafts) {
    slot.state = state;
    slot.isWritten = true;
  }
  return { kind: 'written', entities };
}

function toWritten({ row, state, isWritten }: Slot): WrittenEntity[] {
  if (!isWritten || state === null) return [];
  return [
    {
      id: row.id,
      org_id: row.org_id,
      kind: row.kind,
      external_id: row.external_id,
      traits: state.traits,
      trait_times: state.traitTimes,
      version: state.version,
      created_at: state.createdAt,
      changed: state.changed,
      before: row.version === 0 ? null : row,
    },
  ];
}
