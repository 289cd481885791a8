import { createDice, type Dice } from './random.ts';
import { troubledReceivers } from './routes.ts';

/** When which fault happens: drawn from the seed alone, so that a run can be repeated. */
export interface PlannedFault {
  /** Milliseconds after the load began. */
  readonly at: number;
  readonly kind: FaultKind;
  readonly node: number;
  /** How long it holds, where it does. */
  readonly forMs: number;
  /** Who or what it is done to, or how; as its kind needs it. */
  readonly target: string;
}

export type Engine = 'sqlite' | 'postgres';

export interface RunOptions {
  readonly engine: Engine;
  readonly seconds: number;
  readonly nodes: number;
  readonly seed: number;
}

interface Rule {
  /** The mean time between two; once at least, however short the run. */
  readonly everyS: number;
  readonly engine?: Engine;
  readonly forS?: readonly [number, number];
  /** Both in a run that is long. Those of one kind happen in turn, and would outlast a run of which they take most. */
  readonly everyLongS?: number;
  readonly forLongS?: readonly [number, number];
  readonly targets?: readonly string[];
}

/**
 * Away from the real time by so many hours. A day would outlive the keys of senders, as it may; and where a clock goes
 * back by less than an hour, what waits for its next attempt cannot be told from what a receiver asked to wait.
 */
const CLOCK_OFFSETS_H = ['-8', '-3', '0', '3', '8'];

const rules = {
  // A node that takes seconds to start would hardly serve for an hour.
  kill: { everyS: 6, everyLongS: 10 },
  terminate: { everyS: 45 },
  freeze: { everyS: 40, forS: [1, 6] },
  'freeze-long': { everyS: 90, engine: 'postgres', forS: [16, 22] },
  'full-disk': { everyS: 60, forS: [2, 5] },
  'failing-flush': { everyS: 60, engine: 'sqlite' },
  'slow-disk': { everyS: 60, engine: 'sqlite' },
  'postgres-kill': { everyS: 30, engine: 'postgres', forS: [0, 4] },
  'postgres-silent': { everyS: 60, engine: 'postgres', forS: [1, 4] },
  'postgres-alone': { everyS: 90, engine: 'postgres', forS: [2, 8] },
  'postgres-failover': { everyS: 60, engine: 'postgres', forS: [0, 4], targets: ['killed', 'silent'] },
  receiver: { everyS: 6, forS: [2, 6], targets: troubledReceivers },
  model: { everyS: 15, forS: [2, 6], targets: ['nonsense', 'down', 'slow'] },
  clock: { everyS: 40, targets: CLOCK_OFFSETS_H },
  // What was on its way, and what the deaf still send, is excused: only what is longer than that is judged.
  pause: { everyS: 45, forS: [11, 16], everyLongS: 180, forLongS: [30, 60] },
  'edit-pipeline': { everyS: 12 },
  'delete-destination': { everyS: 50 },
  'delete-organisation': { everyS: 50 },
  erase: { everyS: 20 },
  discard: { everyS: 15 },
  retry: { everyS: 25 },
} as const satisfies Readonly<Record<string, Rule>>;

/** A run over this is long. */
export const LONG_RUN_S = 300;

export type FaultKind = keyof typeof rules;

export function planFaults({ engine, seconds, nodes, seed }: RunOptions): PlannedFault[] {
  const planned = Object.entries(rules as Readonly<Record<FaultKind, Rule>>).flatMap(([name, rule]) => {
    const kind = name as FaultKind;
    if (rule.engine !== undefined && rule.engine !== engine) return [];
    // What takes longer than half of a short run would say nothing of the time after it.
    if ((rule.forS?.[0] ?? 0) * 2 > seconds) return [];
    const dice = createDice(seed, `faults of ${kind}`);
    const everyS = (seconds > LONG_RUN_S ? rule.everyLongS : undefined) ?? rule.everyS;
    const count = Math.max(1, Math.round(seconds / everyS));
    return Array.from({ length: count }, (_, n) => plan(kind, rule, dice, { n, count, seconds, nodes }));
  });
  return planned.toSorted((one, other) => one.at - other.at);
}

/** Spread over the run: each within its own share of it. */
function plan(
  kind: FaultKind,
  rule: Rule,
  dice: Dice,
  { n, count, seconds, nodes }: { n: number; count: number; seconds: number; nodes: number },
): PlannedFault {
  const [least, most] = (seconds > LONG_RUN_S ? rule.forLongS : undefined) ?? rule.forS ?? [0, 0];
  const forMs = Math.round((least + dice.fraction() * (most - least)) * 1_000);
  return {
    kind,
    at: Math.round(((n + dice.fraction()) / count) * Math.max(0, seconds * 1_000 - forMs)),
    node: dice.between(0, nodes - 1),
    forMs,
    // Those without a choice are numbered.
    target: rule.targets ? dice.pick(rule.targets) : `${kind}-${n}`,
  };
}
