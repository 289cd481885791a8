import type { DeliveryRecord, EventRecord } from '@sluice/contract/dashboard-letters';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { whyHeld } from '../../../components/delivery/why-held.ts';
import { formatDue } from '../../../components/relative-time.tsx';
import { isToday, timeFormat } from '../../../lib/time-display.ts';

/** What became of an event, in a sentence or two that somebody understands at night. */
export interface Verdict {
  readonly tone: 'good' | 'waiting' | 'bad' | 'quiet';
  readonly text: string;
}

/** So many destinations are described one by one. */
const MOST_DESCRIBED = 3;

/** What people call a kind of step. */
type TitleOf = (kind: string) => string;

export function verdictOf(event: EventRecord, now: number, titleOf: TitleOf): Verdict {
  if (event.state === 'accepted') return { tone: 'waiting', text: describeAccepted(event, now, titleOf) };
  if (event.state === 'unrouted') {
    return { tone: 'quiet', text: 'No enabled pipeline listens to its source, so it was not routed.' };
  }
  const runs = latestRuns(event.runs);
  const stopped = runs.filter(({ outcome }) => outcome !== 'routed').map(run => describeStop(run, titleOf));
  // Of a run that somebody has resolved or discarded nothing is left to be done.
  const failed = event.outcome === 'failed';
  if (event.deliveries.length === 0 && (event.state === 'dropped' || event.state === 'failed')) {
    return { tone: failed ? 'bad' : 'quiet', text: stopped.join(' ') };
  }
  // Those of earlier runs too, as for the outcome beside it: a replay takes the place of the dead that it makes again.
  const { tone, text } = describeDeliveries(event.deliveries, now);
  return { tone: failed ? 'bad' : tone, text: [text, ...stopped].join(' ') };
}

/** Of several runs by one pipeline the latest counts. */
function latestRuns(runs: readonly RunRecord[]): RunRecord[] {
  return [...new Map(runs.map(run => [run.pipeline.id, run])).values()];
}

function describeAccepted({ waiting }: EventRecord, now: number, titleOf: TitleOf): string {
  if (waiting === null) return 'Accepted. Waiting to be processed.';
  const next = `next attempt ${whenOf(waiting.until, now)}`;
  const [stopped] = waiting.runs;
  const last = stopped?.tries.at(-1);
  if (stopped === undefined || last === undefined) return sentence(`Retrying, ${next}`);
  const attempts = stopped.tries.length === 1 ? '1 attempt' : `${stopped.tries.length} attempts`;
  const step = describeStep(stopped.step, stopped, titleOf);
  return sentence(
    `Retrying ${step} of “${stopped.pipeline.name}” after ${attempts}, ${next}: ${last.reason}`,
  );
}

function describeStep(place: number, { steps }: Pick<RunRecord, 'steps'>, titleOf: TitleOf): string {
  const kind = steps[place]?.kind;
  return `step ${place + 1}${kind ? ` (${titleOf(kind)})` : ''}`;
}

function describeStop(run: RunRecord, titleOf: TitleOf): string {
  const verb = run.outcome === 'failed' ? 'Failed' : 'Dropped';
  const step = run.step === null ? '' : `${describeStep(run.step, run, titleOf)} of `;
  const preposition = run.step === null ? 'in' : run.outcome === 'failed' ? 'at' : 'by';
  const reason = run.reason ? `: ${run.reason}` : '';
  return sentence(`${verb} ${preposition} ${step}“${run.pipeline.name}”${reason}`);
}

function describeDeliveries(all: readonly DeliveryRecord[], now: number): Verdict {
  if (all.length === 0) {
    return { tone: 'quiet', text: 'Processed, but routed to no destination.' };
  }
  // What was cancelled counts for nothing, unless there is nothing else: as for the outcome beside it.
  const wanted = all.filter(({ state }) => state !== 'cancelled');
  // What stands in place of a replayed one is beside it, unless there were too many to show.
  const last = all.filter(({ replayed_by }) => replayed_by === null);
  const deliveries = [wanted, last, all].find(some => some.length > 0) ?? all;
  const destinations = new Set(deliveries.map(({ destination }) => destination.id)).size;
  const open = deliveries.filter(({ state }) => state !== 'delivered');
  const delivered = deliveries.length - open.length;
  if (open.length === 0) {
    const [only] = deliveries;
    const where =
      destinations === 1 && only ? `“${only.destination.name}”` : `all ${destinations} destinations`;
    return { tone: 'good', text: `Delivered to ${where}.` };
  }
  const described = open.slice(0, MOST_DESCRIBED).map(delivery => describeDelivery(delivery, now));
  const more = open.length > MOST_DESCRIBED ? `; and ${open.length - MOST_DESCRIBED} more` : '';
  // One that was sent to more than once may have received it and miss it all the same.
  const count =
    destinations === deliveries.length
      ? `Delivered to ${delivered} of ${destinations} ${destinations === 1 ? 'destination' : 'destinations'}`
      : `${delivered} of ${deliveries.length} deliveries arrived`;
  return {
    tone: toneOf(open),
    text: sentence(`${count}; ${described.join('; ')}${more}`),
  };
}

function toneOf(open: readonly DeliveryRecord[]): Verdict['tone'] {
  if (open.some(({ state }) => state === 'dead')) return 'bad';
  return open.every(({ state }) => state === 'cancelled') ? 'quiet' : 'waiting';
}

function describeDelivery(delivery: DeliveryRecord, now: number): string {
  const name = `“${delivery.destination.name}”`;
  const tries = delivery.attempt === 1 ? '1 attempt' : `${delivery.attempt} attempts`;
  const { outage, state } = delivery;
  if (outage !== null && (state === 'pending' || state === 'retrying'))
    return `waiting for ${name}, which has been down since ${clockOf(outage.down_since)}`;
  switch (state) {
    case 'pending':
      return `queued for ${name}`;
    case 'delivering':
      return `sending to ${name}`;
    case 'held':
      return `${name} is ${whyHeld(delivery.destination)}; the delivery is held`;
    case 'retrying':
      return `${name} ${describeFailure(delivery)}, next attempt ${whenOf(delivery.next_attempt_at, now)}`;
    case 'dead':
      return outage
        ? `${name} had been down since ${clockOf(outage.down_since)}, last probe ${clockOf(outage.last_probe_at)}`
        : `${name} ${describeFailure(delivery)}, exhausted after ${tries}`;
    case 'cancelled':
      return `${name} was cancelled`;
    case 'delivered':
      return `${name} has received it`;
  }
}

const clock = timeFormat({ hour: '2-digit', minute: '2-digit' });
const dayAndClock = timeFormat({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

function clockOf(at: string | null): string {
  if (at === null) return 'never';
  const date = new Date(at);
  return (isToday(date) ? clock : dayAndClock).format(date);
}

function whenOf(at: string | null, now: number): string {
  return at === null ? 'soon' : formatDue(Date.parse(at), now);
}

/** Why the last attempt did not arrive, in a few words. */
function describeFailure({ attempts, code }: DeliveryRecord): string {
  const last = attempts.at(-1);
  if (last?.code === 'bad_status' && last.status !== null) return `answered ${last.status}`;
  const reason = code ?? last?.code ?? null;
  return reason === null ? 'failed' : (words[reason] ?? `failed (${reason})`);
}

const words: Readonly<Record<string, string>> = {
  timeout: 'did not answer in time',
  connection_refused: 'refused the connection',
  connection_reset: 'reset the connection',
  dns_failed: 'could not be resolved by DNS',
  tls_invalid: 'has no valid certificate',
  address_not_allowed: 'has an address that is not allowed',
  bad_response: 'sent an invalid response',
  too_large: 'does not accept anything this large',
  rejected_by_destination: 'rejected it',
  destination_down: 'was down for too long',
};

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
