import { isGivenUp } from './invariants/endings.ts';
import { gatherEvidence } from './invariants/evidence.ts';
import type { Verdict } from './invariants/registry.ts';
import { judgedPauseMs } from './invariants/withdrawn.ts';
import type { Lack, LifeLine, Logs } from './lines.ts';
import type { Run } from './run.ts';
import type { RunOptions } from './schedule.ts';

/** What a run comes to, in numbers. */
export interface Summary {
  readonly options: RunOptions;
  readonly marks: Run['marks'];
  readonly verdicts: readonly Verdict[];
  /** By name, in the order in which they are shown. */
  readonly figures: readonly (readonly [string, number | string])[];
  /** How often each kind of fault was met. */
  readonly faults: readonly (readonly [string, number])[];
  readonly seconds: readonly Second[];
  readonly lines: Logs['faults'];
}

/** What happened in one second of the run. */
export interface Second {
  readonly accepted: number;
  readonly unavailable: number;
  readonly unanswered: number;
  readonly received: number;
}

export function summarise(options: RunOptions, run: Run, verdicts: readonly Verdict[]): Summary {
  const { logs, marks } = run;
  const answers = logs.senders.flatMap(line => (line.kind === 'answered' ? [line] : []));
  const events = logs.final.flatMap(line => (line.kind === 'event' ? [line] : []));
  const deliveries = events.flatMap(event => event.deliveries);
  const fresh = answers.flatMap(line => line.events.filter(({ duplicate }) => !duplicate));
  const brokenIn = (name: string) => verdicts.find(verdict => verdict.name === name)?.broken.length ?? 0;
  const inState = (state: string) => deliveries.filter(delivery => delivery.state === state).length;
  const answered = (status: number | null) => answers.filter(line => line.status === status).length;
  const lacking = (lack: Lack) => answers.filter(line => line.lack === lack).length;
  const lives = (how: (end: LifeLine['end']) => boolean) => logs.lives.filter(({ end }) => how(end)).length;
  return {
    options,
    marks,
    verdicts,
    figures: [
      ['load, in seconds', Math.round((marks.ended - marks.began) / 1_000)],
      ['until nothing was left to do, in seconds', Math.round((marks.drained - marks.ended) / 1_000)],
      ['requests of senders', answers.length],
      ['answered with 202', answered(202)],
      ['answered with 503', answered(503)],
      [
        'answered with another 5xx',
        answers.filter(({ status }) => status !== 503 && (status ?? 0) >= 500).length,
      ],
      ['without an answer', answered(null)],
      ['of these refused the connection, since nobody listened', lacking('refused')],
      ['of these cut off', lacking('reset')],
      ['of these waited for in vain for 15 s', lacking('out of time')],
      ['requests at the dashboard', logs.operators.length],
      ['of these answered with 503', logs.operators.filter(({ status }) => status === 503).length],
      [
        'of these waited for in vain for 75 s',
        logs.operators.filter(({ lack }) => lack === 'out of time').length,
      ],
      ['events acknowledged', fresh.length],
      ['events there at the end, of organisations that were not deleted', events.length],
      ['events given up, under way at three ends of a node', events.filter(isGivenUp).length],
      ['acknowledged and lost', brokenIn('accepted')],
      ['doubled under one key', brokenIn('keys')],
      ['requests at receivers', logs.receivers.length],
      ['deliveries delivered', inState('delivered')],
      ['deliveries dead', inState('dead')],
      ['deliveries cancelled', inState('cancelled')],
      ['lives of nodes ended by SIGKILL', lives(end => end === 'SIGKILL')],
      ['lives of nodes ended with 0', lives(end => end === 0)],
      ['lives of nodes ended in any other way', lives(end => end !== 'SIGKILL' && end !== 0)],
      ['faults of disks that nobody met', logs.faults.filter(({ met }) => !met).length],
      ['asked at the model', logs.model.length],
      ['milliseconds of pauses in which nothing might come', judgedPauseMs(gatherEvidence(logs))],
      ['secrets looked for', logs.secrets.length],
      ['final states seen during the run', logs.seen.length],
    ],
    faults: [...countBy(logs.faults.filter(({ met }) => met).map(({ kind }) => kind))].toSorted(
      ([one], [other]) => (one < other ? -1 : 1),
    ),
    seconds: bySecond(logs, marks.drained),
    lines: logs.faults,
  };
}

export const isBroken = ({ verdicts }: Pick<Summary, 'verdicts'>): boolean =>
  verdicts.some(({ broken }) => broken.length > 0);

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function bySecond(logs: Logs, endMs: number): Second[] {
  const seconds = Array.from({ length: Math.ceil(endMs / 1_000) + 1 }, () => ({
    ...{ accepted: 0, unavailable: 0, unanswered: 0, received: 0 },
  }));
  const at = (ms: number) => seconds[Math.floor(ms / 1_000)];
  for (const line of logs.senders) {
    const second = line.kind === 'answered' ? at(line.at) : undefined;
    if (line.kind !== 'answered' || second === undefined) continue;
    if (line.status === 202) second.accepted += line.events.filter(({ duplicate }) => !duplicate).length;
    if (line.status === 503) second.unavailable++;
    if (line.status === null) second.unanswered++;
  }
  for (const line of logs.receivers) {
    const second = at(line.at);
    if (second) second.received++;
  }
  return seconds;
}
