import { toRfc3339 } from '../clock.ts';
import { parseJson, stringifyJson } from '../json/json.ts';

/**
 * What stands in place of a payload that was erased on request, wherever one was kept. Each has the shape of what
 * it replaces, so that whoever reads it shows the tombstone like anything else.
 */
export interface Tombstones {
  readonly payload: string;
  /** Of a run that went on to destinations. */
  readonly output: string;
  /** In place of a text that may quote the payload. */
  readonly note: string;
  /** Of an attempt. */
  readonly request: string;
  readonly response: string;
  /** Of a run: its steps, what they came to and how long they took; nothing of what they saw. */
  trace(text: string): string;
}

export function tombstonesOf(at: number): Tombstones {
  const payload = { erased_at: toRfc3339(at) };
  const note = `Erased on request at ${toRfc3339(at)}.`;
  return {
    payload: JSON.stringify(payload),
    output: JSON.stringify({ payload, labels: {} }),
    note,
    request: JSON.stringify({ target: '', headers: {}, body: note }),
    response: note,
    trace: text => erasedTrace(text, note),
  };
}

/** Each step refers to the states before and after it by number, and the first is the event itself. */
function erasedTrace(text: string, note: string): string {
  const { steps } = parseJson(text) as { steps: [string, string, number][] };
  return stringifyJson({
    steps: steps.map(([kind, outcome, duration]) => [kind, outcome, duration, 0, 0, note]),
    states: [],
  });
}
