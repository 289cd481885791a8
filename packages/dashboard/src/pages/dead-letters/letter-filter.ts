import type { DeadLetter, DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import type { GivenTo } from '../../lib/api/path.ts';

/** Which dead letters: by what the list is narrowed down, groups stand for, and retries and discards are asked for. */
export type DeadLetterFilter = NonNullable<GivenTo<'POST /dead-letters/retry'>['body']['filter']>;

/** As the address names them. */
export const filterFields = [
  'kind',
  'destination',
  'code',
  'status',
  'pipeline',
  'step',
  'reason',
  'event',
  'after',
  'before',
] as const;

/** What failed alike, as one line of the page. */
export interface LetterGroup {
  readonly key: string;
  readonly name: string;
  /** The code and the status, or the step. */
  readonly why: string;
  readonly message: string | null;
  readonly count: number;
  /** What the list is narrowed to by it. */
  readonly filter: Readonly<Record<string, string>>;
}

/** The largest first. */
export function groupsOf({ by_destination, by_pipeline }: DeadLetterSummary): LetterGroup[] {
  const deliveries = by_destination.map(({ destination, code, status, count, message }): LetterGroup => {
    const filter = {
      kind: 'delivery',
      destination: destination.id,
      status: status === null ? 'none' : String(status),
      ...(code === null ? {} : { code }),
    };
    const why = [code ?? 'unknown', status].filter(part => part !== null).join(' ');
    return { key: keyOf(filter), name: destination.name, why, message, count, filter };
  });
  const events = by_pipeline.map(({ pipeline, step, reason, count }): LetterGroup => {
    const filter = {
      kind: 'event',
      pipeline: pipeline.id,
      step: step === null ? 'none' : String(step),
      ...(reason === null ? {} : { reason }),
    };
    const why = step === null ? 'failed' : `failed at step ${step + 1}`;
    return { key: keyOf(filter), name: pipeline.name, why, message: reason, count, filter };
  });
  return [...deliveries, ...events].sort((a, b) => b.count - a.count);
}

const keyOf = (filter: Readonly<Record<string, string>>): string => Object.values(filter).join('\n');

/** Whether a list that is narrowed down so holds this one: as the server judges it. */
export function matchesFilter(letter: DeadLetter, filter: DeadLetterFilter): boolean {
  const { kind, event, after, before } = filter;
  const at = letter.kind === 'delivery' ? letter.created_at : letter.received_at;
  if (kind !== undefined && letter.kind !== kind) return false;
  if (event !== undefined && letter.event_id !== event) return false;
  if (after !== undefined && Date.parse(at) <= Date.parse(after)) return false;
  if (before !== undefined && Date.parse(at) >= Date.parse(before)) return false;
  return letter.kind === 'delivery' ? isDeliveryOf(letter, filter) : isEventOf(letter, filter);
}

type Delivery = Extract<DeadLetter, { kind: 'delivery' }>;
type FailedEvent = Extract<DeadLetter, { kind: 'event' }>;

const isDeliveryOf = (letter: Delivery, filter: DeadLetterFilter): boolean =>
  filter.step === undefined &&
  filter.reason === undefined &&
  (filter.pipeline === undefined || letter.pipeline.id === filter.pipeline) &&
  (filter.destination === undefined || letter.destination.id === filter.destination) &&
  (filter.code === undefined || letter.code === filter.code) &&
  isOf(letter.status, filter.status);

const isEventOf = (letter: FailedEvent, filter: DeadLetterFilter): boolean =>
  filter.destination === undefined &&
  filter.code === undefined &&
  filter.status === undefined &&
  letter.failures.some(
    ({ pipeline, step, reason }) =>
      (filter.pipeline === undefined || pipeline.id === filter.pipeline) &&
      (filter.reason === undefined || reason === filter.reason) &&
      isOf(step, filter.step),
  );

const isOf = (value: number | null, wanted: string | number | undefined): boolean =>
  wanted === undefined || String(value ?? 'none') === String(wanted);

/** Whether all of a group is among what a filter stands for, whatever the time. */
export const coversGroup = (filter: DeadLetterFilter, group: LetterGroup): boolean =>
  Object.entries(filter).every(
    ([field, value]) => field === 'after' || field === 'before' || group.filter[field] === String(value),
  );
