import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FinalDelivery, ReceiverLine } from '../lines.ts';
import type { Evidence, Invariant } from './evidence.ts';

export const bytesAreRecorded: Invariant = {
  name: 'bytes',
  promise: 'What a receiver saw is what is recorded and what the pipeline made, and its signature verifies.',
  broken: evidence => evidence.logs.receivers.flatMap(line => wrongWith(line, evidence)),
};

function wrongWith(line: ReceiverLine, evidence: Evidence): string[] {
  const found =
    line.delivery === null ? deliveryBehind(line, evidence) : evidence.deliveries.get(line.delivery);
  if (found === undefined) return [];
  const { delivery, event } = found;
  const sentences: string[] = [];
  const { secret, kind } = evidence.destinations.get(delivery.destination) ?? { secret: null, kind: '' };
  if (secret !== null && !verifies(line, secret))
    sentences.push(`${delivery.id} came with a signature that does not verify.`);
  if (event.isErased) return sentences;
  if (kind !== 'webhook') return [...sentences, ...otherThanRecorded(line, kind, delivery)];
  const recorded = delivery.attempts.find(({ n }) => n === line.attempt);
  if (recorded && !recorded.cut && recorded.body !== line.body)
    sentences.push(`${delivery.id}, attempt ${line.attempt}: other bytes came than are recorded.`);
  const run = event.runs.find(({ id }) => id === delivery.run);
  const { type, payload } = JSON.parse(line.body) as { type: unknown; payload: unknown };
  const isOutput = run?.output === undefined || isDeepStrictEqual(payload, run.output);
  if (type !== event.type || !isOutput)
    sentences.push(`${delivery.id} brought something else than its run made.`);
  return sentences;
}

/** Where the protocol does not carry its id, it is the one of that event to that destination. */
function deliveryBehind({ event: id, receiver }: ReceiverLine, { events, destinations }: Evidence) {
  const event = events.get(id);
  const delivery = event?.deliveries.find(
    ({ destination }) => destinations.get(destination)?.name === receiver,
  );
  return event && delivery ? { event, delivery } : undefined;
}

/** Which attempt it was is not said; each of them sends the same. */
function otherThanRecorded(
  { receiver, body }: ReceiverLine,
  kind: string,
  delivery: FinalDelivery,
): string[] {
  const recorded = delivery.attempts.filter(({ cut }) => !cut).map(attempt => attempt.body);
  const isRecorded = recorded.some(kept => isDeepStrictEqual(keptAs(kind, kept), cameAs(kind, body)));
  return recorded.length === 0 || isRecorded
    ? []
    : [`${delivery.id} brought ${receiver} something else than is recorded.`];
}

/** Of a row its table is recorded, too; of a mail the text, which came in the encoding of mails. */
const keptAs = (kind: string, kept: string): unknown =>
  kind === 'postgres' ? (JSON.parse(kept) as { row: unknown }).row : kind === 'email' ? kept.trim() : kept;
const cameAs = (kind: string, came: string): unknown =>
  kind === 'postgres' ? JSON.parse(came) : kind === 'email' ? textOfMail(came).trim() : came;

/** The first part that is plain text, or the whole mail where it has no parts. */
function textOfMail(raw: string): string {
  const mail = raw.replaceAll('\r\n', '\n');
  const part = mail.slice(mail.indexOf('Content-Type: text/plain'));
  const [head = '', ...paragraphs] = part.split('\n\n');
  const [text = ''] = paragraphs.join('\n\n').split('\n--');
  if (/: base64$/im.test(head)) return Buffer.from(text, 'base64').toString();
  if (!/: quoted-printable$/im.test(head)) return text;
  const bytes = text
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

function verifies({ signature, body }: ReceiverLine, secret: string): boolean {
  const [, time = '', digests = ''] = /^t=(\d+),(.+)$/.exec(signature ?? '') ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return digests.split(',').includes(`v1=${expected}`);
}
