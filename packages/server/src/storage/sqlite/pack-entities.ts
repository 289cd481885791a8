import { type EntityWrite, type IfMatch, type Refusal, toMilliseconds } from '../../core/entities/write.ts';
import type { EntityWriteRequest, EntityWriteResult, StoredEntity } from '../../core/stores/entities.ts';
import { TextReader, TextWriter } from '../../core/threads/packed-text.ts';

/** Writes of entities and what became of them, as they cross the threads. */

export function packEntityWrites(requests: readonly EntityWriteRequest[]): string {
  const writer = new TextWriter();
  for (const { orgId, writes, records = [] } of requests) {
    writer.text(orgId).textOrNull(records.length === 0 ? null : JSON.stringify(records));
    writer.number(writes.length);
    for (const { kind, externalId, mode, traits, ifMatch, changed } of writes) {
      writer.text(kind).text(externalId).text(mode).text(traits).number(changed);
      writer.textOrNull(ifMatch === null ? null : String(ifMatch));
    }
  }
  return writer.end();
}

export function unpackEntityWrites(packed: string): EntityWriteRequest[] {
  const reader = new TextReader(packed);
  const requests: EntityWriteRequest[] = [];
  while (reader.hasMore()) {
    const [orgId, records] = [reader.text(), reader.textOrNull()];
    const writes: EntityWrite[] = [];
    for (let count = reader.number(); count > 0; count--) {
      writes.push({
        kind: reader.text(),
        externalId: reader.text(),
        mode: reader.text() as EntityWrite['mode'],
        traits: reader.text(),
        changed: reader.number(),
        ifMatch: toIfMatch(reader.textOrNull()),
      });
    }
    requests.push({ orgId, writes, records: records === null ? [] : JSON.parse(records) });
  }
  return requests;
}

const toIfMatch = (text: string | null): IfMatch => (text === null || text === '*' ? text : Number(text));

/** Only what does not follow from what was asked for: traits that replace others are not handed back. */
export function packEntityResults(
  requests: readonly EntityWriteRequest[],
  results: readonly EntityWriteResult[],
): string {
  const writer = new TextWriter();
  for (const [i, result] of results.entries()) {
    if (result.kind === 'refused') {
      writer.text(result.reason).number(result.index);
      continue;
    }
    writer.text(result.kind);
    for (const [n, { traits, version, createdAt }] of result.entities.entries()) {
      const isAsGiven = requests[i]?.writes[n]?.mode === 'replace';
      writer
        .textOrNull(isAsGiven ? null : traits)
        .number(version)
        .number(createdAt);
    }
  }
  return writer.end();
}

export function unpackEntityResults(
  requests: readonly EntityWriteRequest[],
  packed: string,
): EntityWriteResult[] {
  const reader = new TextReader(packed);
  return requests.map(({ writes }) => {
    const outcome = reader.text() as 'written' | Refusal;
    if (outcome !== 'written') return { kind: 'refused', index: reader.number(), reason: outcome };
    return { kind: 'written', entities: writes.map(write => readEntity(reader, write)) };
  });
}

const readEntity = (reader: TextReader, write: EntityWrite): StoredEntity => ({
  kind: write.kind,
  externalId: write.externalId,
  traits: reader.textOrNull() ?? write.traits,
  version: reader.number(),
  createdAt: reader.number(),
  updatedAt: toMilliseconds(write.changed),
});
