import type { EndedAttempt } from '../core/stores/delivery-queue.ts';
import { LONGEST_TOGETHER } from './kept-run.ts';

/**
 * What is kept of an attempt. A request repeats what is stored anyway: the ids, the payload, and what all webhooks have
 * in common. Each such phrase gives way to a character that JSON text never holds as it is, and is put back when the
 * request is read. So it is always shown as it was sent, whatever has become of its destination since.
 */

/** What a request may repeat of its event, its delivery and its run. */
interface Repeated {
  readonly eventId: string;
  readonly eventType: string;
  readonly deliveryId: string;
  readonly n: number;
  readonly output: string;
}

/** What is longer is cut in a request, and would be looked for in vain. */
const LONGEST_PAYLOAD = 16 * 1024;

/**
 * In the order in which a webhook has them. Not changed once released, only added to: the place of a phrase is the
 * character that stands for it.
 */
function phrasesOf({ eventId, eventType, deliveryId, n, output }: Repeated): string[] {
  const begin = `{"type":${JSON.stringify(eventType)},"payload":`;
  const payload = output.slice('{"payload":'.length, output.lastIndexOf(',"labels":'));
  return [
    '{"target":"POST ',
    `","headers":{"content-type":"application/json","x-service-event-id":"${eventId}","x-service-delivery-id":"${deliveryId}","x-service-attempt":"${n}"`,
    ',"x-service-signature":"t=',
    `},"body":${JSON.stringify(begin).slice(0, -1)}`,
    payload.length > LONGEST_PAYLOAD ? '' : JSON.stringify(payload).slice(1, -1),
  ];
}

const standInOf = (place: number): string => String.fromCharCode(place + 1);
const HIGHEST = standInOf(4);

export function keptRequest({ deliveryId, attempt, repeats }: EndedAttempt): string {
  const { n, request } = attempt;
  if (repeats === undefined) return request;
  const phrases = phrasesOf({ ...repeats, deliveryId, n });
  let kept = '';
  let from = 0;
  for (let place = 0; place < phrases.length; place++) {
    const phrase = phrases[place] ?? '';
    const at = phrase === '' ? -1 : request.indexOf(phrase, from);
    if (at < 0) continue;
    kept += request.slice(from, at) + standInOf(place);
    from = at + phrase.length;
  }
  return kept + request.slice(from);
}

/** Whether something stands in it for what is stored elsewhere. */
export function isAbridged(request: string): boolean {
  for (let i = 0; i < request.length; i++) if (request.charAt(i) <= HIGHEST) return true;
  return false;
}

export function fullRequest(kept: string, repeated: Repeated): string {
  let request = kept;
  for (const [place, phrase] of phrasesOf(repeated).entries())
    request = request.replace(standInOf(place), () => phrase);
  return request;
}

/** Whether it is kept in the row of its delivery, which it ends as the first and only one; an exchange has no place there. */
export const isOnlyAttempt = (
  { next, attempt: { n, response, exchange } }: EndedAttempt,
  request: string,
): boolean =>
  next.state === 'delivered' &&
  n === 1 &&
  exchange === undefined &&
  request.length + response.length <= LONGEST_TOGETHER;
