import type { StepTrace } from '@sluice/contract';
import type { FailedTry, TracedOutcome } from '../../core/event/outcome.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import type { ShownTrace } from '../../core/kinds/pipeline-admin.ts';
import { packDurations } from '../../core/stores/latency.ts';

/**
 * What a run did, step by step. In memory a trace holds the states between steps as they are, which costs nothing;
 * they are written out once, when the run is settled. The state that a run begins with is the event itself and is
 * not written again; a step that changed nothing shares its state with its neighbours.
 */
export interface Trace {
  readonly steps: readonly TracedStep[];
  /** The states after each change, in order. State 0 is the event as it came. */
  readonly states: readonly TracedState[];
}

export interface TracedStep {
  readonly kind: string;
  readonly outcome: TracedOutcome;
  readonly durationMs: number;
  /** Numbers of states. */
  readonly before: number;
  readonly after: number;
  readonly note: string | null;
}

export interface TracedState {
  readonly payload: JsonObject;
  readonly labels: JsonObject;
  /** About the characters of its text, so that what is too large is not even written out. */
  readonly size: number;
}

export const LARGEST_TRACE = 64 * 1024;
/** Fifty of these fit, be every character an escape of six. */
const LONGEST_NOTE = 200;

/** `[kind, outcome, duration, before, after, note]`, and the states; null where one was too large to be kept. */
interface WrittenTrace {
  readonly steps: readonly [string, TracedOutcome, number, number, number, string | null][];
  readonly states: readonly (Json | null)[];
  /** Of a step that was retried, or whose last try failed after an answer. */
  readonly tries?: readonly FailedTry[];
}

/** JSON text of at most 64 KiB. States are kept from the first on, as long as there is room. */
export function writeTrace(trace: Trace): string {
  const steps = JSON.stringify(
    trace.steps.map(step => [
      step.kind,
      step.outcome,
      Math.round(step.durationMs * 1_000) / 1_000,
      step.before,
      step.after,
      step.note === null ? null : cut(step.note),
    ]),
  );
  let room = LARGEST_TRACE - Buffer.byteLength(steps) - 32;
  const states = trace.states.map(({ payload, labels, size }) => {
    const text = size > room ? null : stringifyJson({ payload, labels });
    const bytes = text === null ? 0 : Buffer.byteLength(text) + 1;
    if (text === null || bytes > room) return 'null';
    room -= bytes;
    return text;
  });
  return `{"steps":${steps},"states":[${states.join(',')}]}`;
}

/** What answers of all tries may take together of a trace: one of 4 KiB fits, be every character an escape of six. */
const LONGEST_ANSWERS = 25 * 1024;

/** The trace with the tries that led to its end. Of their answers the latest are kept, as long as there is room. */
export function withTries(trace: string, tries: readonly FailedTry[]): string {
  if (tries.length === 0) return trace;
  let room = LONGEST_ANSWERS;
  const kept = tries.toReversed().map(({ at, reason, said }): FailedTry => {
    room -= Buffer.byteLength(JSON.stringify(said?.body ?? ''));
    return { at, reason: cut(reason), said: said && (room < 0 ? { ...said, body: null } : said) };
  });
  const ending = `,"tries":${JSON.stringify(kept.reverse())}}`;
  return `${withRoomFor(trace, Buffer.byteLength(ending)).slice(0, -1)}${ending}`;
}

/** The trace without as many of its latest states as have to give way. */
function withRoomFor(trace: string, bytes: number): string {
  let excess = Buffer.byteLength(trace) + bytes - LARGEST_TRACE;
  if (excess <= 0) return trace;
  const { steps, states } = parseJson(trace) as unknown as WrittenTrace;
  const kept = states.toReversed().map(state => {
    if (excess <= 0) return state;
    excess -= Buffer.byteLength(stringifyJson(state)) - 'null'.length;
    return null;
  });
  return stringifyJson({ steps, states: kept.reverse() });
}

/** Of all steps together, and then of each, as they are counted. */
export function durationsOf({ steps }: Trace): string {
  const durations = [0];
  for (const { durationMs } of steps) {
    durations[0] = (durations[0] ?? 0) + durationMs;
    durations.push(durationMs);
  }
  return packDurations(durations);
}

const cut = (note: string): string =>
  note.length > LONGEST_NOTE ? `${note.slice(0, LONGEST_NOTE).toWellFormed()}…` : note;

/** The trace as people see it, with the event it began with. */
export function readTrace(text: string, payload: JsonObject): ShownTrace {
  const { steps, states, tries = [] } = parseJson(text) as unknown as WrittenTrace;
  const all = [{ payload, labels: {} }, ...states] as (StepTrace['before'] | null)[];
  const cutAt = steps.findIndex(([, , , before, after]) => all[before] === null || all[after] === null);
  return {
    steps: steps.map(([kind, outcome, duration_ms, before, after, note]) => ({
      kind,
      outcome,
      duration_ms,
      before: all[before] ?? null,
      after: all[after] ?? null,
      note,
    })),
    cutAt: cutAt < 0 ? null : cutAt,
    tries,
  };
}

/** The trace as if this step had dropped the event: nothing after it has happened. */
export function cutTrace(text: string, step: number, note: string): string {
  const { steps, states } = parseJson(text) as unknown as WrittenTrace;
  const kept = steps.slice(0, step + 1).map((traced, i): WrittenTrace['steps'][number] => {
    const [kind, , duration, before] = traced;
    return i === step ? [kind, 'dropped', duration, before, before, note] : traced;
  });
  return stringifyJson({ steps: kept, states: states.slice(0, kept.at(-1)?.[4] ?? 0) });
}
