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
    .number(event.receivedAt)
    .textOrNull(event.headers ?? null);

export function unpackEvent(reader: TextReader): PipelineEvent {
  const [id, type, icon, senderId] = [reader.text(), reader.text(), reader.textOrNull(), reader.textOrNull()];
  const [kind, externalId] = [reader.textOrNull(), reader.textOrNull()];
  const entity = kind === null || externalId === null ? null : { kind, externalId };
  const [happenedAt, receivedAt, headers] = [reader.number(), reader.number(), reader.textOrNull()];
  const event = { id, type, icon, senderId, entity, happenedAt, receivedAt };
  return headers === null ? event : { ...event, headers };
}
