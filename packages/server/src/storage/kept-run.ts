import { outputOf } from '../core/event/output.ts';
import type { RoutingNote, SettledRun } from '../core/stores/event-queue.ts';
import { abridge, unabridge } from './abridged-text.ts';

/**
 * What is kept of a run, each text once: an output takes from the event what it has left as it came, and the states of
 * a trace take from the output. A run that makes one delivery is kept in the row of that.
 */

/** Nothing where nobody is sent it. */
export const keptOutput = ({ output, payload, destinations }: SettledRun): string =>
  destinations.length === 0 ? '' : abridge(output, outputOf(payload));

export const keptTrace = ({ trace, output, destinations }: SettledRun): string =>
  destinations.length === 0 ? trace : abridge(trace, output);

export const fullOutput = (kept: string, payload: string): string => unabridge(kept, outputOf(payload));

/** A trace of which nothing was taken from the output needs neither that nor the payload. */
export const fullTrace = (
  run: { readonly trace: string; readonly output: string },
  payload: string,
): string => unabridge(run.trace, fullOutput(run.output, payload));

/** Of a run that is kept with its delivery, or beside it. */
export const outputColumn = 'coalesce(delivery.run_output, run.output)';

/** About the size of what is sent: what is kept of it, and what it may take from the event. */
export const outputSize = `octet_length(${outputColumn}) + octet_length(event.payload)`;

/** A delivery's row is written again with whatever becomes of it, and what is long would be so each time. */
export const LONGEST_TOGETHER = 2_000;

/** A run as it is kept, with how many deliveries it has made. */
interface KeptRun {
  readonly run: Pick<SettledRun, 'outcome' | 'reason' | 'step'>;
  readonly notes: readonly RoutingNote[];
  readonly deliveries: number;
  readonly output: string;
  readonly trace: string;
}

/** Whether it is kept in the row of its delivery, which is its only one. */
export const isKeptTogether = ({ run, notes, deliveries, output, trace }: KeptRun): boolean =>
  deliveries === 1 &&
  notes.length === 0 &&
  run.outcome === 'routed' &&
  run.reason === null &&
  run.step === null &&
  output.length + trace.length <= LONGEST_TOGETHER;
