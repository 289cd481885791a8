import { expect, test } from 'bun:test';
import { faults } from './faults/registry.ts';
import { readOptions } from './options.ts';
import { type FaultKind, planFaults, type RunOptions } from './schedule.ts';

const hour: RunOptions = { engine: 'postgres', seconds: 3_600, nodes: 3, seed: 4 };

test('a seed gives the same schedule each time, and another seed another', () => {
  expect(planFaults(hour)).toEqual(planFaults(hour));
  expect(planFaults({ ...hour, seed: 5 })).not.toEqual(planFaults(hour));
});

test('every fault lies within the run, at a node that there is', () => {
  for (const { at, forMs, node } of planFaults(hour)) {
    expect(at + forMs).toBeLessThanOrEqual(3_600_000);
    expect([0, 1, 2]).toContain(node);
  }
});

test('an hour of either engine holds every kind of fault that it has, and 200 kills at least', () => {
  const kindsOf = (engine: 'sqlite' | 'postgres') => planFaults({ ...hour, engine }).map(({ kind }) => kind);
  const [sqlite, postgres] = [kindsOf('sqlite'), kindsOf('postgres')];
  for (const kinds of [sqlite, postgres])
    expect(kinds.filter(kind => kind === 'kill').length).toBeGreaterThanOrEqual(200);
  expect(new Set([...sqlite, ...postgres])).toEqual(new Set(Object.keys(faults) as FaultKind[]));
});

test('pauses of a long run last longer than what is excused of one', () => {
  const pauses = planFaults(hour).filter(({ kind }) => kind === 'pause');
  expect(pauses.length).toBeGreaterThan(0);
  for (const { forMs } of pauses) expect(forMs).toBeGreaterThanOrEqual(30_000);
});

test.each([
  [['--engine', 'oracle'], '--engine must be'],
  [['--minutes', 'none'], '--minutes must be'],
  [['--nodes', '0'], '--nodes must be'],
  [['--nodes', '2'], '--nodes must be 1'],
  [['--seed', 'x'], '--seed must be'],
  [['--years', '2'], '--years'],
])('%p is refused with a sentence', (args, sentence) => {
  expect(readOptions(args)).toContain(sentence);
});

test('what is left out has a value that fits the engine', () => {
  expect(readOptions([])).toEqual({ engine: 'sqlite', seconds: 120, nodes: 1, seed: 1 });
  expect(readOptions(['--engine', 'postgres', '--minutes', '10', '--seed', '3'])).toEqual({
    engine: 'postgres',
    seconds: 600,
    nodes: 3,
    seed: 3,
  });
});
