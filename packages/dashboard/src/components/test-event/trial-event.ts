import type { TestEventRecord } from '@sluice/contract/dashboard-test-events';
import { CallError } from '../../lib/api/call.ts';
import { parseExact, stringifyExact } from '../../lib/api/exact-json.ts';

/** The event that something is tried with: one that came in, one that was saved, or one that somebody wrote. */
export type TrialEvent =
  | { readonly kind: 'recent'; readonly id: string }
  | ({ readonly kind: 'saved'; readonly id: string } & EditedText)
  | ({ readonly kind: 'pasted' } & EditedText);

interface EditedText {
  readonly text: string;
  /** What it was before somebody changed it. */
  readonly begun: string;
}

export const beginSaved = ({ id, event }: Pick<TestEventRecord, 'id' | 'event'>) => {
  const text = stringifyExact(event);
  return { kind: 'saved', id, text, begun: text } as const;
};

export const beginPasted = (text: string) => ({ kind: 'pasted', text, begun: text }) as const;

/** What somebody who writes one begins with. */
export const sampleText = '{\n  "type": "order.created",\n  "payload": { "id": 1, "total": 120 }\n}';

/** Whether somebody has written it, and would have to write it again. */
export const isWritten = (event: TrialEvent | null): boolean =>
  event !== null && event.kind !== 'recent' && event.text !== event.begun;

/** What of a call names the event. */
type GivenEvent = { readonly event_id: string } | { readonly event: TestEventRecord['event'] };

type Given =
  | { readonly kind: 'event'; readonly body: GivenEvent }
  | { readonly kind: 'broken'; readonly error: CallError };

/** Null where nothing is written yet. */
export function readEvent(event: TrialEvent): Given | null {
  if (event.kind === 'recent') return { kind: 'event', body: { event_id: event.id } };
  if (event.text.trim() === '') return null;
  try {
    // What it has to hold is for the server to say, at its field.
    return { kind: 'event', body: { event: parseExact(event.text) as TestEventRecord['event'] } };
  } catch (problem) {
    const why = problem instanceof Error ? problem.message : String(problem);
    return {
      kind: 'broken',
      error: new CallError(0, 'invalid_json', `The event is not JSON yet: ${why}`, null),
    };
  }
}

/** An event that came in, as it would be sent again; neither its id nor its time are copied. */
export const writeEvent = (event: {
  readonly type: string;
  readonly icon: string | null;
  readonly payload: unknown;
  readonly entity: object | null;
}): string =>
  stringifyExact({
    type: event.type,
    ...(event.icon === null ? {} : { icon: event.icon }),
    payload: event.payload,
    ...(event.entity === null ? {} : { entity: event.entity }),
  });
