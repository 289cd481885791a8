import type { AnswerLine, FinalDelivery, ReceiverLine } from '../lines.ts';
import { disturbances } from './breaks.ts';
import { acceptedEvents, type Evidence } from './evidence.ts';
import { couldAnswer } from './lives.ts';
import { type Stretch, touches } from './stretches.ts';

/** What must have been counted: summed up in memory, and written before any fault could take it away. */

/** Counts are written once a second; a busy machine may take this long. */
const WRITTEN_MS = 2_000;

export const surelyReceived = (evidence: Evidence, organisation: string): number =>
  evidence.requests
    .filter(({ sent }) => sent.organisation === organisation)
    .flatMap(({ answers }) => answers)
    .filter(answer => isWritten(answer, evidence))
    .reduce((sum, { events }) => sum + events.filter(({ duplicate }) => !duplicate).length, 0);

/** Taken at once, the only time that it came. */
export function surelyDelivered(evidence: Evidence, organisation: string): number {
  const came = Map.groupBy(
    evidence.logs.receivers.filter(line => line.organisation === organisation),
    ({ delivery }) => delivery ?? '',
  );
  const acceptedAt = new Map(
    acceptedEvents(evidence).map(({ id, request: { sent } }) => [id, sent.at] as const),
  );
  return [...evidence.deliveries.values()].filter(({ delivery, event }) => {
    const [line, ...others] = came.get(delivery.id) ?? [];
    const from = acceptedAt.get(event.id);
    if (line === undefined || others.length > 0 || from === undefined) return false;
    return isDone(delivery, line) && isCalm({ at: from, until: line.at + WRITTEN_MS }, evidence);
  }).length;
}

const isDone = ({ state, attempts }: FinalDelivery, { took }: ReceiverLine): boolean =>
  state === 'delivered' && attempts.length === 1 && took;

/** Its node was well until that was written; and its clock was not ahead, where no figure of today looks. */
const isWritten = (answer: AnswerLine, evidence: Evidence): boolean =>
  answer.status === 202 &&
  couldAnswer({ ...answer, at: answer.at + WRITTEN_MS }, evidence) &&
  isOnTime({ at: answer.sentAt, until: answer.at + WRITTEN_MS }, evidence);

/** No node ended meanwhile, and nobody was deaf. */
const isCalm = (stretch: Stretch, evidence: Evidence): boolean =>
  evidence.logs.lives.every(({ at }) => at < stretch.at || at > stretch.until) &&
  !disturbances(evidence.logs).some(other => touches(other, stretch.at, stretch.until)) &&
  isOnTime(stretch, evidence);

/** No clock is moved in that time, nor for a second before; nor was it moved ahead. */
function isOnTime({ at: from, until: to }: Stretch, { logs }: Evidence): boolean {
  const moves = logs.faults
    .filter(({ kind }) => kind === 'clock')
    .toSorted((one, other) => one.at - other.at);
  const last = moves.findLast(({ at }) => at < from - 1_000);
  return (
    !moves.some(move => touches(move, from - 1_000, to)) && !(Number.parseInt(last?.detail ?? '', 10) > 0)
  );
}
