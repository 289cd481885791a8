import type { PipelineEvent } from '../event/scope.ts';
import type { TextReader, TextWriter } from './packed-text.ts';

/** An event as it crosses the threads, without its payload. */
export const packEvent = (writer: TextWriter, event: PipelineEvent): TextWriter =>
  writer
    .text(event.id)
    .text(event.type)
    .textOrNull(event.icon)
    .textOrNull(event.senderId)
    .textOrNull(event.entity?.kind ?? null)
    .textOrNull(event.entity?.externalId ?? null)
    .number(event.happenedAt)
    .number(event.receivedAt);

export function unpackEvent(reader: TextReader): PipelineEvent {
  const [id, type, icon, senderId] = [reader.text(), reader.text(), reader.textOrNull(), reader.textOrNull()];
  const [kind, externalId] = [reader.textOrNull(), reader.textOrNull()];
  const entity = kind === null || externalId === null ? null : { kind, externalId };
  return { id, type, icon, senderId, entity, happenedAt: reader.number(), receivedAt: reader.number() };
}
