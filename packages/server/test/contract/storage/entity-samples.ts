import type { EntityWrite } from '../../../src/core/entities/write.ts';
import type { EntityRef } from '../../../src/core/event/scope.ts';
import type { EntityFilter, EntityPage, StoredEntity } from '../../../src/core/stores/entities.ts';
import type { EveryStore } from '../../support/every-store.ts';
import { anOrganisation, idAt, NOW } from './samples.ts';

/** Entities to write, and short ways to ask for them. A test names only what it is about. */

let changes = NOW * 1_000;
/** Later than every one before, as the stage gives them out. */
export const nextChange = (): number => ++changes;

export const customer = (externalId: string): EntityRef => ({ kind: 'customer', externalId });

export const aWrite = (
  entity: EntityRef | string,
  traits: unknown = {},
  given: Partial<EntityWrite> = {},
): EntityWrite => ({
  ...(typeof entity === 'string' ? customer(entity) : entity),
  mode: 'merge',
  traits: typeof traits === 'string' ? traits : JSON.stringify(traits),
  ifMatch: null,
  changed: nextChange(),
  ...given,
});

export async function orgWith(storage: EveryStore, searchableTraits: string[] = []): Promise<string> {
  const org = anOrganisation({ searchableTraits });
  await storage.createOrganisation(org, idAt('usr', NOW));
  return org.id;
}

/** Writes each in a call of its own, in order. */
export async function put(
  storage: EveryStore,
  orgId: string,
  ...writes: EntityWrite[]
): Promise<(StoredEntity | string)[]> {
  const results = await storage.writeEntities(writes.map(write => ({ orgId, writes: [write] })));
  return results.map(result => (result.kind === 'written' ? (result.entities[0] ?? '') : result.reason));
}

export const PATIENT_MS = 10_000;

export const listPage = (
  storage: EveryStore,
  orgId: string,
  filter: EntityFilter = {},
  page: { limit?: number; position?: string | null; budgetMs?: number } = {},
): Promise<EntityPage> =>
  storage.listEntities(orgId, filter, { limit: 100, position: null, budgetMs: PATIENT_MS, ...page });

/** Goes on from page to page until the end, as a client does. */
export async function listAll(
  storage: EveryStore,
  orgId: string,
  filter: EntityFilter,
  page: { limit: number; budgetMs?: number },
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let position: string | null = null;
  let pages = 0;
  do {
    const next: EntityPage = await listPage(storage, orgId, filter, { ...page, position });
    ids.push(...next.entities.map(({ externalId }) => externalId));
    position = next.next;
    pages++;
  } while (position !== null && pages < 1_000);
  return { ids, pages };
}
