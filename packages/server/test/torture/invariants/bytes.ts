import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ReceiverLine } from '../lines.ts';
import type { Evidence, Invariant } from './evidence.ts';

export const bytesAreRecorded: Invariant = {
  name: 'bytes',
  promise: 'What a receiver saw is what is recorded and what the pipeline made, and its signature verifies.',
  broken: evidence => evidence.logs.receivers.flatMap(line => wrongWith(line, evidence)),
};

function wrongWith(line: ReceiverLine, { deliveries, destinations }: Evidence): string[] {
  const found = line.delivery === null ? undefined : deliveries.get(line.delivery);
  if (found === undefined) return [];
  const { delivery, event } = found;
  const sentences: string[] = [];
  const { secret, kind } = destinations.get(delivery.destination) ?? { secret: null, kind: '' };
  if (secret !== null && !verifies(line, secret))
    sentences.push(`${delivery.id} came with a signature that does not verify.`);
  if (event.isErased || kind !== 'webhook') return sentences;
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

function verifies({ signature, body }: ReceiverLine, secret: string): boolean {
  const [, time = '', digests = ''] = /^t=(\d+),(.+)$/.exec(signature ?? '') ?? [];
  const expected = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return digests.split(',').includes(`v1=${expected}`);
}
