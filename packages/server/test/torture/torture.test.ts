import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from './invariants/registry.ts';
import { runTorture } from './run.ts';
import type { Engine } from './schedule.ts';

/** A short torture of each engine, with faults of nearly every kind. Only promises are asserted, never times. */
const SECONDS = 23;
const SEED = 28;

const engines: [Engine, number][] = [
  ['sqlite', 1],
  ['postgres', 2],
];

test.each(engines)(
  'every promise holds under torture: %s',
  async (engine, nodes) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-torture-'));
    const options = { engine, nodes, seconds: SECONDS, seed: SEED, folder, pauseMs: 150 };
    const { logs, planned } = await runTorture(options, () => {});
    expect(judge(logs).filter(({ broken }) => broken.length > 0)).toEqual([]);
    // The run was one: something was acknowledged, delivered, and tormented.
    expect(logs.senders.some(line => line.kind === 'answered' && line.status === 202)).toBe(true);
    expect(logs.receivers.some(({ took }) => took)).toBe(true);
    expect(logs.faults.filter(({ kind }) => kind === 'kill').length).toBeGreaterThan(0);
    expect(logs.faults.length).toBeGreaterThan(planned.length / 2);
    rmSync(folder, { recursive: true });
  },
  400_000,
);
