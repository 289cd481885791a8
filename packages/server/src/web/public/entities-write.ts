import { entitiesBody, entityBody, MOST_TRAIT_BYTES, traitsBody } from '@sluice/contract/entity';
import { z } from 'zod';
import { Problem } from '../../core/errors.ts';
import type { EntityRef } from '../../core/event/scope.ts';
import { validate } from '../../core/http/validate.ts';
import { type JsonObject, requireNesting, stringifyJson } from '../../core/json/json.ts';
import type { AuditEntry } from '../../core/stores/configuration/audit.ts';
import type {
  EntityActions,
  EntityInput,
  EntityWriteResult,
  StoredEntity,
} from '../../core/stores/entities.ts';
import { type BodyReading, readJson, readQuery } from '../read-json.ts';
import { readEntity, targetOf } from './entities-path.ts';
import { readIfMatch } from './entities-query.ts';
import { answerJson, answerOne, entityJson } from './entities-records.ts';

/** A body may be nested deeper than its traits, whose nesting is what counts and what a refusal names. */
const LEVELS_BEYOND_TRAITS = 64;

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

export function createEntityWrites({
  actions,
  limits,
  room,
}: BodyReading & { readonly actions: Pick<EntityActions, 'write'> }): EntityWrites {
  const reading = { limits: { ...limits, nesting: limits.nesting + LEVELS_BEYOND_TRAITS }, room };

  function toText(traits: Record<string, unknown>, path: string): string {
    requireNesting(traits as JsonObject, limits.nesting, path);
    return stringifyJson(traits);
  }

  return {
    async merge(orgId, request, record) {
      readQuery(request, noQuery);
      const body = await readJson(request, z.unknown(), reading);
      const isMany = typeof body === 'object' && body !== null && Object.hasOwn(body, 'entities');
      const entities = isMany ? validate(entitiesBody, body).entities : [validate(entityBody, body)];
      const pathOf = (index: number) => (isMany ? `entities[${index}].traits` : 'traits');
      const writes = entities.map(
        ({ kind, external_id, traits = {} }, index): EntityInput => ({
          kind,
          externalId: external_id,
          mode: 'merge',
          traits: toText(traits, pathOf(index)),
          ifMatch: null,
        }),
      );
      const written = requireWritten(await actions.write(orgId, writes, recordsOf(writes, record)), pathOf);
      if (!isMany) return answerWritten(written);
      return answerJson(`[${written.map(entity => entityJson(entity)).join(',')}]`);
    },

    async write(orgId, segments, mode, request, record) {
      const entity = readEntity(segments);
      readQuery(request, noQuery);
      const ifMatch = readIfMatch(request);
      const body = await readJson(request, traitsBody, reading);
      const traits = toText(body.traits, 'traits');
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
  if (result.reason !== 'too_large') throw new Problem(result.reason);
  const path = pathOf(result.index);
  throw new Problem('payload_too_large', {
    path,
    message: `${path} may come to at most ${MOST_TRAIT_BYTES} bytes.`,
  });
}
