import type { Clock } from '../../../core/clock.ts';
import type { Said } from '../../../core/event/outcome.ts';
import type { OutgoingResult } from '../../../core/http/outgoing.ts';
import { readRetryAfter } from '../../../core/http/retry-after.ts';
import { type JsonObject, stringifyJson } from '../../../core/json/json.ts';
import { spellingsOf, strikeOut } from '../../../core/secrets/strike-out.ts';
import type { ModelClient } from '../../ports/model.ts';
import { errorWord, type ModelWire, parseOrUndefined, type Question } from './wire.ts';

/** A model's answer, or why there is none. */
export type ModelAnswer =
  | { readonly kind: 'label'; readonly label: string }
  | {
      readonly kind: 'error';
      readonly reason: string;
      /** What the model asked for, or null. */
      readonly retryAfterMs: number | null;
      /** The model may not even be asked, and no retry will change that. */
      readonly isFinal: boolean;
      /** What it answered instead; absent where it was not reached. */
      readonly said?: Said;
    };

const MOST_ANSWER_BYTES = 256 * 1024;
/** So much of an answer that is no label is kept for people to read. */
const LONGEST_SAID = 4 * 1024;

/** Asks once. Never rejects, and never makes up a label: what is not one of them is an error. */
export async function askModel(
  wire: ModelWire,
  question: Question,
  options: { client: ModelClient; clock: Clock; timeoutMs: number },
): Promise<ModelAnswer> {
  const { url, headers, body } = wire.request(question);
  const result = await options.client.request({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: stringifyJson(body satisfies JsonObject),
    timeoutMs: options.timeoutMs,
    keptBytes: MOST_ANSWER_BYTES,
  });
  if (result.kind === 'failed')
    return error(`The model could not be called: ${result.failure.message}`, {
      isFinal: result.failure.code === 'address_not_allowed',
    });
  const said = { status: result.status, body: quote(result.body, question) };
  if (result.status < 200 || result.status > 299) return { ...refusedBy(result, options.clock.now()), said };
  const read = result.isCut ? undefined : parseOrUndefined(result.body);
  if (read === undefined) return { ...error('The model did not answer in JSON.'), said };
  const reading = wire.read(read, question);
  if (reading.kind === 'refused') return { ...error(reading.reason), said };
  const label = question.labels.find(allowed => allowed === reading.value);
  return label === undefined
    ? { ...error('The model’s answer is not one of the labels.'), said }
    : { kind: 'label', label };
}

/** Struck out before it is cut: half a secret is not found any more. */
function quote(body: string, { apiKey }: Question): string {
  const clean = apiKey === null ? body : strikeOut(body, spellingsOf([apiKey]));
  return clean.length > LONGEST_SAID ? `${clean.slice(0, LONGEST_SAID).toWellFormed()}…` : clean;
}

const error = (
  reason: string,
  details: { retryAfterMs?: number | null; isFinal?: boolean } = {},
): Extract<ModelAnswer, { kind: 'error' }> => ({
  kind: 'error',
  reason,
  retryAfterMs: details.retryAfterMs ?? null,
  isFinal: details.isFinal ?? false,
});

function refusedBy(
  result: Extract<OutgoingResult, { kind: 'answered' }>,
  now: number,
): Extract<ModelAnswer, { kind: 'error' }> {
  const word = errorWord(parseOrUndefined(result.body));
  return error(`The model answered with status ${result.status}${word === null ? '' : ` (${word})`}.`, {
    retryAfterMs: readRetryAfter(result.headers.get('retry-after'), now),
  });
}
