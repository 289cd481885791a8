import type { SentEvent } from '../lines.ts';
import { routes } from '../routes.ts';
import {
  acceptedEvents,
  type Evidence,
  type EvidentRequest,
  type FinalEvent,
  type Invariant,
} from './evidence.ts';

const ends = new Set(['delivered', 'dead', 'cancelled']);
const MOST_TRIES = 3;
/** What was under way three times when its process ended is given up, as a kill cannot be told from a crash. */
export const isGivenUp = ({ runs }: FinalEvent): boolean =>
  runs.some(({ outcome, reason }) => outcome === 'failed' && /3 times/.test(reason ?? ''));

export const everythingEnds: Invariant = {
  name: 'endings',
  promise:
    'Each event and each delivery comes to one end; each event reaches the destination it is meant for once; each drop names its step.',
  broken: evidence => [
    ...[...evidence.events.values()].flatMap(unfinished),
    ...misrouted(evidence),
    ...givenUpEarly(evidence),
    ...doubledTwins(evidence),
  ],
};

function unfinished(event: FinalEvent): string[] {
  const sentences = event.deliveries
    .filter(({ state }) => !ends.has(state))
    .map(({ id, state }) => `${id} of ${event.id} is still ${state}.`);
  if (event.state === 'accepted') sentences.push(`${event.id} is still accepted.`);
  for (const { outcome, step, reason, id } of event.runs) {
    if (outcome === 'dropped' && step === null)
      sentences.push(`${id} of ${event.id} was dropped by no step.`);
    if (outcome === 'failed' && reason === null) sentences.push(`${id} of ${event.id} failed for no reason.`);
  }
  const pairs = event.deliveries.map(({ run, destination }) => `${run} ${destination}`);
  if (new Set(pairs).size < pairs.length) sentences.push(`${event.id} goes to one destination twice.`);
  return sentences;
}

/** Only faults excuse it, and enough of them, from when it was sent until somebody saw that it had failed. */
function givenUpEarly(evidence: Evidence): string[] {
  const failedBy = new Map<string, number>();
  for (const { event, at } of evidence.logs.failed) if (!failedBy.has(event)) failedBy.set(event, at);
  return acceptedEvents(evidence).flatMap(({ id, request: { sent } }) => {
    const stored = evidence.events.get(id);
    if (stored === undefined || !isGivenUp(stored)) return [];
    const breaks = evidence.mostBreaks(sent.at, failedBy.get(id) ?? Number.POSITIVE_INFINITY);
    return breaks < MOST_TRIES
      ? [`${id} was given up after ${MOST_TRIES} tries, of which faults ended ${breaks} at most.`]
      : [];
  });
}

/** What is meant for a destination that stays, and passes, has one delivery there. */
function misrouted(evidence: Evidence): string[] {
  const twins = new Set(twinsIn(evidence).flatMap(({ ids }) => ids));
  return acceptedEvents(evidence).flatMap(({ event, id, request }) => {
    const stored = evidence.events.get(id);
    if (stored === undefined || twins.has(id) || isGivenUp(stored)) return [];
    if (wasErased(evidence, stored, { event, request })) return [];
    const isHook = request.sent.endpoint === 'webhook';
    const wanted = isHook || event.route === 'mood' ? 'good' : event.route;
    const isRouted = event.route === 'mood' || event.passes;
    const isFixed = (routes as readonly string[]).includes(wanted);
    if (!isFixed) return [];
    const reached = stored.deliveries.map(({ destination }) => evidence.destinations.get(destination)?.name);
    const expected = isRouted ? [wanted] : [];
    return reached.join() === expected.join()
      ? []
      : [`${id} is meant for ${expected.join() || 'nobody'} and went to ${reached.join() || 'nobody'}.`];
  });
}

/** Somebody asked for it; also where that and the event's acceptance went on at once. */
const wasErased = (
  { logs }: Evidence,
  { isErased }: FinalEvent,
  { event, request: { sent } }: { readonly event: SentEvent; readonly request: EvidentRequest },
): boolean =>
  isErased &&
  logs.people.some(
    ({ what, id, organisation, at }) =>
      what === 'erase' && id === event.person && organisation === sent.organisation && at > sent.at,
  );

const twinsIn = (evidence: Evidence) => {
  const byPayloadId = new Map<string, string[]>();
  for (const { event, id } of acceptedEvents(evidence)) {
    byPayloadId.set(event.payloadId, [...(byPayloadId.get(event.payloadId) ?? []), id]);
  }
  return [...byPayloadId].map(([payloadId, ids]) => ({ payloadId, ids })).filter(({ ids }) => ids.length > 1);
};

/** Of two events with one id in the payload, `dedupe` lets one through. */
const doubledTwins = (evidence: Evidence): string[] =>
  twinsIn(evidence).flatMap(({ payloadId, ids }) => {
    const stored = ids.flatMap(id => evidence.events.get(id) ?? []);
    if (stored.some(event => isGivenUp(event) || event.isErased)) return [];
    const sent = stored.flatMap(({ deliveries }) => deliveries).length;
    return sent === 1 ? [] : [`${ids.join(' and ')} share ${payloadId} and were sent ${sent} times.`];
  });
