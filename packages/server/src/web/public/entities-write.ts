import { MOST_PATCH_BYTES, MOST_TRAIT_BYTES } from '@sluice/contract/entity-limits';
import { z } from 'zod';
import { createEntityBodyReader, type LargeEntityBodies, traitsPath } from '../../core/entities/bodies.ts';
import { Problem } from '../../core/errors.ts';
import type { EntityRef } from '../../core/event/scope.ts';
import { READ_IN_PLACE_BYTES } from '../../core/http/read-body.ts';
import type { AuditEntry } from '../../core/stores/configuration/audit.ts';
import type {
  EntityActions,
  EntityInput,
  EntityWriteResult,
  StoredEntity,
} from '../../core/stores/entities.ts';
import { type BodyReading, readJsonBytes, readQuery } from '../read-json.ts';
import { readEntity, targetOf } from './entities-path.ts';
import { readIfMatch } from './entities-query.ts';
import { answerJson, answerOne, entityJson } from './entities-records.ts';

export const noQuery = z.strictObject({});

/** What can be written of an organisation's entities: the same for programs and for the dashboard. */
interface EntityWrites {
  /** `POST`: by body, one or many, merged into what is there. */
  merge(orgId: string, request: Request, record?: RecordWrite): Promise<Response>;
  /** `PUT` and `PATCH` of the entity that the path names. */
  write(
    orgId: string,
    segments: readonly string[],
    mode: 'replace' | 'patch',
    request: Request,
    record?: RecordWrite,
  ): Promise<Response>;
}

/** What the audit log is to hold of a write. Programs write too much to be on record; people are. */
type RecordWrite = (entity: EntityRef) => AuditEntry;

/** What reading such a body takes: one that is large is read elsewhere. */
export interface EntityBodyReading extends BodyReading {
  readonly largeBodies: LargeEntityBodies;
}

export function createEntityWrites(
  dependencies: EntityBodyReading & { readonly actions: Pick<EntityActions, 'write'> },
): EntityWrites {
  const { actions, largeBodies } = dependencies;
  const inPlace = createEntityBodyReader(dependencies.limits);
  const isLarge = (bytes: Uint8Array) => bytes.byteLength > READ_IN_PLACE_BYTES;

  return {
    async merge(orgId, request, record) {
      readQuery(request, noQuery);
      const bytes = await readJsonBytes(request, dependencies);
      const { isMany, entities } = isLarge(bytes)
        ? await largeBodies.readEntities(orgId, bytes)
        : inPlace.entities(bytes);
      const pathOf = (index: number) => traitsPath(isMany, index);
      const writes = entities.map((entity): EntityInput => ({ ...entity, mode: 'merge', ifMatch: null }));
      const written = requireWritten(await actions.write(orgId, writes, recordsOf(writes, record)), pathOf);
      if (!isMany) return answerWritten(written);
      return answerJson(`[${written.map(entity => entityJson(entity)).join(',')}]`);
    },

    async write(orgId, segments, mode, request, record) {
      const entity = readEntity(segments);
      readQuery(request, noQuery);
      const ifMatch = readIfMatch(request);
      const bytes = await readJsonBytes(request, dependencies);
      const traits = isLarge(bytes) ? await largeBodies.readTraits(orgId, bytes) : inPlace.traits(bytes);
      const writes: EntityInput[] = [{ ...entity, mode, traits, ifMatch }];
      const result = await actions.write(orgId, writes, recordsOf(writes, record));
      return answerWritten(requireWritten(result, () => 'traits'));
    },
  };
}

/** One for each entity, however often a call names it. */
function recordsOf(writes: readonly EntityInput[], record: RecordWrite | undefined): AuditEntry[] {
  if (record === undefined) return [];
  const entities = new Map(writes.map(write => [targetOf(write), write]));
  return [...entities.values()].map(record);
}

/** The first version of an entity is the one that was made just now. */
function answerWritten([entity]: readonly StoredEntity[]): Response {
  if (entity === undefined) throw new Problem('internal');
  return answerOne(entity, entity.version === 1 ? 201 : 200);
}

function requireWritten(
  result: EntityWriteResult,
  pathOf: (index: number) => string,
): readonly StoredEntity[] {
  if (result.kind === 'written') return result.entities;
  const path = pathOf(result.index);
  const tooLarge = (message: string) => new Problem('payload_too_large', { path, message });
  switch (result.reason) {
    case 'too_large':
      throw tooLarge(`${path} may come to at most ${MOST_TRAIT_BYTES} bytes.`);
    case 'patch_too_large':
      throw tooLarge(`${path} may hold at most ${MOST_PATCH_BYTES} bytes of changes in one write.`);
    default:
      throw new Problem(result.reason);
  }
}
