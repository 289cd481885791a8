import type { EntityEventRecord, EntityLinkRecord } from '@sluice/contract/entity';
import { toRfc3339 } from '../../core/clock.ts';
import { toMilliseconds } from '../../core/entities/write.ts';
import type { EntityRef } from '../../core/event/scope.ts';
import { putField } from '../../core/expressions/path.ts';
import { type JsonObject, stringifyJson } from '../../core/json/json.ts';
import type {
  EntityGraph,
  EntityLink,
  EventOfEntity,
  Identity,
  StoredEntity,
  TimedEntity,
} from '../../core/stores/entities.ts';

/** Records as JSON text: traits and payloads go out as the text they are stored as, so that no number changes. */
export const entityJson = (entity: StoredEntity, more = ''): string =>
  `{"kind":"${entity.kind}","external_id":${JSON.stringify(entity.externalId)},"traits":${entity.traits},` +
  `"version":${entity.version},"created_at":"${toRfc3339(entity.createdAt)}",` +
  `"updated_at":"${toRfc3339(entity.updatedAt)}"${more}}`;

/** With when each trait was last written, for people. */
export function timedEntityJson(entity: TimedEntity): string {
  const times: JsonObject = {};
  for (const [name, changed] of Object.entries(JSON.parse(entity.traitTimes) as Record<string, number>)) {
    putField(times, name, toRfc3339(toMilliseconds(changed)));
  }
  return entityJson(entity, `,"trait_times":${JSON.stringify(times)}`);
}

const toReference = ({ kind, externalId }: EntityRef) => ({ kind, external_id: externalId });

export const linkRecord = (link: EntityLink): EntityLinkRecord => ({
  relation: link.relation,
  from: toReference(link.from),
  to: toReference(link.to),
  created_at: toRfc3339(link.createdAt),
});

export const graphJson = ({ nodes, edges, truncated }: EntityGraph): string =>
  `{"nodes":[${nodes.map(node => entityJson(node)).join(',')}],` +
  `"edges":${JSON.stringify(edges.map(linkRecord))},"truncated":${truncated}}`;

export function identityJson({ members, traits, provenance, truncated }: Identity): string {
  const origins: JsonObject = {};
  for (const { trait, entity, updatedAt } of provenance) {
    putField(origins, trait, { ...toReference(entity), updated_at: toRfc3339(updatedAt) });
  }
  return (
    `{"members":[${members.map(member => entityJson(member)).join(',')}],"traits":${stringifyJson(traits)},` +
    `"provenance":${JSON.stringify(origins)},"truncated":${truncated}}`
  );
}

export function eventJson(event: EventOfEntity, more: object = {}): string {
  const record: Omit<EntityEventRecord, 'payload'> = {
    id: event.id,
    type: event.type,
    icon: event.icon,
    state: event.state,
    entity: toReference(event.entity),
    timestamp: toRfc3339(event.happenedAt),
    received_at: toRfc3339(event.receivedAt),
    erased_at: event.erasedAt === null ? null : toRfc3339(event.erasedAt),
  };
  return `${JSON.stringify({ ...record, ...more }).slice(0, -1)},"payload":${event.payload ?? 'null'}}`;
}

/** Success in the envelope, around JSON text. */
export const answerJson = (data: string, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(`{"data":${data}}`, {
    status,
    headers: { 'Content-Type': 'application/json;charset=utf-8', ...headers },
  });

/** One entity; its version stands in the header too, to be sent back as `If-Match`. */
export const answerOne = (entity: StoredEntity, status = 200): Response =>
  answerJson(entityJson(entity), status, { ETag: `"${entity.version}"` });
