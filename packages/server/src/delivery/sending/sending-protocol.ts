import type { AttemptResult } from '../../core/http/attempt.ts';
import type { Exchange } from '../../core/http/exchange.ts';
import type { OutgoingFailure } from '../../core/http/outgoing.ts';
import { type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import { packEvent, unpackEvent } from '../../core/threads/packed-event.ts';
import { TextReader, type TextWriter } from '../../core/threads/packed-text.ts';
import type { RenderedDelivery } from '../destination.ts';

/** What a thread that sends is told, and what it tells. Deliveries and results go over many at a time, as one text. */
export type SendingCall =
  | { readonly kind: 'begin'; readonly shared: SharedSending; readonly settings: SendingSettings }
  | {
      readonly kind: 'open';
      readonly destination: number;
      readonly of: string;
      readonly config: JsonObject;
    }
  | { readonly kind: 'close'; readonly destination: number }
  /** As of this state of doubt; see `SharedSending`. */
  | { readonly kind: 'send'; readonly packed: string; readonly doubts: number; readonly at: bigint }
  /** In answer to `ask`. */
  | { readonly kind: 'wanted'; readonly call: number; readonly isWanted: boolean };

export type SendingReply =
  | { readonly kind: 'sent'; readonly packed: string }
  /** Whether it is to go out still. */
  | { readonly kind: 'ask'; readonly call: number }
  /** Something that an operator should know. */
  | { readonly kind: 'problem'; readonly message: string };

/** Memory that both sides see: the thread counts its heartbeats, its owner how often what was handed over came into doubt. */
export interface SharedSending {
  readonly heartbeats: SharedArrayBuffer;
  readonly doubts: SharedArrayBuffer;
}

/** What of the settings concerns whoever connects to somebody. */
export interface SendingSettings {
  readonly allowAddresses: readonly string[];
  readonly allowHttp: boolean;
  readonly egressAddresses: readonly string[];
}

export interface SendCall {
  readonly call: number;
  readonly destination: number;
  readonly delivery: RenderedDelivery;
}

export function packSend(writer: TextWriter, { call, destination, delivery }: SendCall): void {
  writer.number(call).number(destination);
  packEvent(writer, delivery.event)
    .text(delivery.orgId)
    .text(delivery.id)
    .number(delivery.attempt)
    .text(delivery.payload)
    .text(stringifyJson(delivery.labels))
    .textOrNull(delivery.traits === null ? null : stringifyJson(delivery.traits))
    .textOrNull(delivery.sourceName)
    .textOrNull(delivery.link)
    .number(delivery.timeoutMs);
}

export function* unpackSends(packed: string): Generator<SendCall> {
  const reader = new TextReader(packed);
  while (reader.hasMore()) {
    const [call, destination] = [reader.number(), reader.number()];
    const event = unpackEvent(reader);
    const delivery = {
      event,
      orgId: reader.text(),
      id: reader.text(),
      attempt: reader.number(),
      payload: reader.text(),
      labels: parseJson(reader.text()) as JsonObject,
      traits: jsonOrNull(reader.textOrNull()),
      sourceName: reader.textOrNull(),
      link: reader.textOrNull(),
      timeoutMs: reader.number(),
    };
    yield { call, destination, delivery };
  }
}

const jsonOrNull = (text: string | null): JsonObject | null =>
  text === null ? null : (parseJson(text) as JsonObject);

/** What became of a call: its result; that it is wanted no more; or the defect that kept it from having a result. */
export type SendOutcome =
  | { readonly kind: 'result'; readonly result: AttemptResult }
  | { readonly kind: 'unwanted' }
  | { readonly kind: 'defect'; readonly message: string };

export function packOutcome(writer: TextWriter, call: number, outcome: SendOutcome): void {
  writer.number(call);
  if (outcome.kind !== 'result') {
    writer.text(outcome.kind).text(outcome.kind === 'defect' ? outcome.message : '');
    return;
  }
  const { result } = outcome;
  const { target, headers, body } = result.request;
  const names = Object.keys(headers);
  writer.text(result.outcome).text(target).text(body).number(names.length);
  for (const name of names) writer.text(name).text(headers[name] ?? '');
  writer.numberOrNull(result.status).textOrNull(result.response).number(result.durationMs);
  writer.textOrNull(result.exchange === undefined ? null : JSON.stringify(result.exchange));
  if (result.outcome === 'failed') {
    const { code, message, retryAfterMs, isFinal } = result;
    writer
      .text(code)
      .text(message)
      .numberOrNull(retryAfterMs)
      .number(isFinal ? 1 : 0);
  }
}

export function* unpackOutcomes(packed: string): Generator<{ call: number; outcome: SendOutcome }> {
  const reader = new TextReader(packed);
  while (reader.hasMore()) {
    const call = reader.number();
    yield { call, outcome: unpackOutcome(reader) };
  }
}

function unpackOutcome(reader: TextReader): SendOutcome {
  const kind = reader.text();
  if (kind === 'unwanted' || kind === 'defect') {
    const message = reader.text();
    return kind === 'defect' ? { kind, message } : { kind };
  }
  const [target, body] = [reader.text(), reader.text()];
  const headers = Array.from({ length: reader.number() }, () => [reader.text(), reader.text()] as const);
  const answered = {
    request: { target, headers: Object.fromEntries(headers), body },
    status: reader.numberOrNull(),
    response: reader.textOrNull(),
    durationMs: reader.number(),
  };
  const exchange = reader.textOrNull();
  const facts = exchange === null ? answered : { ...answered, exchange: JSON.parse(exchange) as Exchange };
  if (kind === 'delivered') return { kind: 'result', result: { outcome: 'delivered', ...facts } };
  const failure = { code: reader.text() as OutgoingFailure['code'], message: reader.text() };
  const retryAfterMs = reader.numberOrNull();
  const isFinal = reader.number() === 1;
  const failed = { outcome: 'failed', ...facts, ...failure, retryAfterMs } as const;
  return { kind: 'result', result: isFinal ? { ...failed, isFinal } : failed };
}
