import type { ReceiverLine } from '../lines.ts';
import type { Evidence, Invariant } from './evidence.ts';

/** From when somebody wakes until what it had begun has arrived. */
const WAKING_MS = 2_000;

export const attemptsCountUp: Invariant = {
  name: 'attempts',
  promise: 'A delivery comes again with the same event under the same id, and its attempts count upwards.',
  broken(evidence) {
    const byDelivery = new Map<string, ReceiverLine[]>();
    for (const line of evidence.logs.receivers) {
      if (line.delivery === null) continue;
      byDelivery.set(line.delivery, [...(byDelivery.get(line.delivery) ?? []), line]);
    }
    return [...byDelivery].flatMap(([id, lines]) => wrongWith(id, lines, evidence));
  },
};

function wrongWith(id: string, lines: readonly ReceiverLine[], evidence: Evidence): string[] {
  const sentences: string[] = [];
  const [first] = lines;
  if (lines.some(({ event, receiver }) => event !== first?.event || receiver !== first.receiver))
    sentences.push(`${id} came with different events, or to different receivers.`);
  lines.forEach((line, n) => {
    const before = lines[n - 1];
    if (!before || (line.attempt ?? 0) >= (before.attempt ?? 0)) return;
    // Whoever was stopped in the middle of an attempt ends it when it wakes, others being further by then: so it was
    // stopped when the later attempt was made, or had just woken.
    if (evidence.deafMs(before.at - WAKING_MS, line.at) > 0) return;
    sentences.push(`${id} came as attempt ${line.attempt} after attempt ${before.attempt}.`);
  });
  const stored = evidence.deliveries.get(id);
  const isLiving = evidence.living.has(first?.organisation ?? '');
  if (isLiving && stored === undefined) sentences.push(`${id} came, and nobody knows of it.`);
  if (stored && stored.event.id !== first?.event)
    sentences.push(`${id} came with another event than its own.`);
  const claimed = stored?.delivery.attempts.filter(({ status }) => status !== null) ?? [];
  const seen = new Set(lines.map(({ attempt }) => attempt));
  for (const { n } of claimed)
    if (!seen.has(n)) sentences.push(`Attempt ${n} of ${id} is recorded and never came.`);
  return sentences;
}
