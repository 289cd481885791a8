import type { SettledRun } from '../core/stores/event-queue.ts';

/**
 * What is kept of a run, each text once: an output that is the event as it came refers to the event, and a trace whose
 * last state is the output refers to that.
 */

/** In place of an output that is the event as it came. */
export const AS_THE_EVENT = '=';
/** In place of the last state of a trace, which is an object or null. */
const AS_THE_OUTPUT = '"="';
/** What stands behind the last state. */
const END = ']}';

/** Nothing where nobody is sent it. */
export const keptOutput = ({ output, isUnchanged }: SettledRun, deliveries: number): string =>
  deliveries === 0 ? '' : isUnchanged ? AS_THE_EVENT : output;

export function keptTrace({ trace, output }: SettledRun, deliveries: number): string {
  if (deliveries === 0 || output === '' || !trace.endsWith(output + END)) return trace;
  return trace.slice(0, -(output.length + END.length)) + AS_THE_OUTPUT + END;
}

export const fullTrace = ({ trace, output }: { readonly trace: string; readonly output: string }): string =>
  trace.endsWith(AS_THE_OUTPUT + END)
    ? trace.slice(0, -(AS_THE_OUTPUT.length + END.length)) + output + END
    : trace;

export const outputColumn = `CASE run.output WHEN '${AS_THE_EVENT}' THEN '{"payload":' || event.payload || ',"labels":{}}'
    ELSE run.output END`;

/** Of what is sent, without the few characters around an event as it came. */
export const outputSize = `CASE run.output WHEN '${AS_THE_EVENT}' THEN octet_length(event.payload)
    ELSE octet_length(run.output) END`;
