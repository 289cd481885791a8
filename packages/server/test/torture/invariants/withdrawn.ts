import type { PeopleLine, ReceiverLine } from '../lines.ts';
import { LONG_RUN_S } from '../schedule.ts';
import { acceptedEvents, type Evidence, erasureOf, GRACE_MS, type Invariant } from './evidence.ts';

export const withdrawnIsNotSent: Invariant = {
  name: 'withdrawn',
  promise:
    'Once a pause, a delete, a discard or an erasure is answered, nothing of it is sent; what was erased is gone, and who was deleted is refused.',
  broken: evidence => [
    ...evidence.logs.people.flatMap(line => sentAfter(line, evidence)),
    ...stillThere(evidence),
    ...acceptedAfterDelete(evidence),
    ...unjudged(evidence),
  ],
};

/** How long the pauses lasted in all beyond what is excused: only in that time is anything that comes a violation. */
export const judgedPauseMs = ({ logs, deafMs }: Evidence): number =>
  logs.people
    .filter(({ what }) => what === 'pause')
    .map(line => [line.at, Math.min(undoneAt(line, logs.people), lastSentAt(logs))] as const)
    .reduce((sum, [from, to]) => sum + Math.max(0, to - from - GRACE_MS - deafMs(from, to)), 0);

const lastSentAt = ({ senders }: Evidence['logs']): number =>
  senders.reduce((last, line) => (line.kind === 'sent' ? Math.max(last, line.at) : last), 0);

/** A long run has pauses that are long. */
function unjudged(evidence: Evidence): string[] {
  const [first] = evidence.logs.senders;
  const isLong = lastSentAt(evidence.logs) - (first?.at ?? 0) > LONG_RUN_S * 1_000;
  return isLong && judgedPauseMs(evidence) === 0 ? ['No pause lasted longer than what is excused.'] : [];
}

/** Requests of this kind that came although it had been answered that none would. */
function sentAfter(line: PeopleLine, evidence: Evidence): string[] {
  const { logs } = evidence;
  const isIt = matching(line, evidence);
  if (isIt === null) return [];
  const end = undoneAt(line, logs.people);
  return logs.receivers
    .filter(seen => seen.at < end && seen.at > line.at + GRACE_MS && isIt(seen))
    .filter(({ at }) => at > line.at + GRACE_MS + evidence.deafMs(line.at, at))
    .map(
      ({ receiver, event, at }) =>
        `${event} came to ${receiver} ${at - line.at} ms after “${line.what}” of ${line.id} was answered.`,
    );
}

function matching(line: PeopleLine, evidence: Evidence): ((seen: ReceiverLine) => boolean) | null {
  const isTheirs = (seen: ReceiverLine) => seen.organisation === line.organisation;
  switch (line.what) {
    case 'pause':
    case 'delete-destination': {
      const name = evidence.destinations.get(line.id)?.name;
      return seen => isTheirs(seen) && seen.receiver === name;
    }
    case 'discard':
      return seen => seen.delivery === line.id;
    case 'delete-organisation':
      return isTheirs;
    case 'erase': {
      const erased = new Set(
        acceptedEvents(evidence)
          .filter(accepted => accepted.event.person === line.id && erasureOf(evidence, accepted) === line)
          .map(({ id }) => id),
      );
      // Rows of a database are found only when all is over.
      return seen => erased.has(seen.event) && seen.receiver !== 'postgres';
    }
    default:
      return null;
  }
}

/** A pause ends when somebody asks for that, a discard when the delivery is taken up again. */
function undoneAt({ what, id, at }: PeopleLine, people: readonly PeopleLine[]): number {
  const undoing = what === 'pause' ? 'resume' : what === 'discard' ? 'retry' : null;
  const undone = people.find(line => line.what === undoing && line.id === id && line.at > at);
  return undone?.askedAt ?? Number.POSITIVE_INFINITY;
}

const stillThere = (evidence: Evidence): string[] =>
  acceptedEvents(evidence).flatMap(accepted => {
    const stored = evidence.events.get(accepted.id);
    if (stored === undefined || !erasureOf(evidence, accepted)) return [];
    const isGone = stored.isErased && !JSON.stringify(stored).includes(`-in-${accepted.event.payloadId}`);
    return isGone ? [] : [`${accepted.id} of ${accepted.event.person} was erased and is still there.`];
  });

const acceptedAfterDelete = ({ logs, requests, deafMs }: Evidence): string[] =>
  logs.people
    .filter(({ what }) => what === 'delete-organisation')
    .flatMap(({ organisation, at }) =>
      requests
        .filter(({ sent }) => sent.organisation === organisation)
        .flatMap(({ answers }) => answers)
        .filter(({ status, sentAt }) => status === 202 && sentAt > at + GRACE_MS + deafMs(at, sentAt))
        .map(({ request }) => `Request ${request} was accepted for ${organisation}, which is deleted.`),
    );
