import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from './invariants/registry.ts';
import { writePage } from './page.ts';
import { writeMarkdown } from './report.ts';
import { runTorture } from './run.ts';
import type { Engine, PlannedFault } from './schedule.ts';
import { type Summary, summarise } from './summary.ts';

/** A short torture of each engine, with faults of nearly every kind. Only promises are asserted, never times. */
const SECONDS = 60;
/** Receivers hang, reset, flood and are away in its schedule. */
const SEED = 53_372;

const engines: [Engine, number, string[]][] = [
  ['sqlite', 1, ['failing-flush', 'slow-disk', 'full-disk']],
  ['postgres', 2, ['full-disk', 'postgres-kill', 'postgres-silent', 'postgres-alone', 'postgres-failover']],
];
const ofBoth = [
  ...['kill', 'terminate', 'freeze', 'clock', 'model', 'hang', 'reset', 'flood', 'away'],
  ...['pause', 'edit-pipeline', 'delete-destination', 'delete-organisation', 'erase', 'discard', 'retry'],
];
/** Receivers are tormented by what they do themselves. */
const nameOf = ({ kind, target }: PlannedFault) => (kind === 'receiver' ? target.split(' ')[1] : kind);

test.each(engines)('every promise holds under torture: %s', async (engine, nodes, ofThisEngine) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-torture-'));
  const options = { engine, nodes, seconds: SECONDS, seed: SEED, folder, pauseMs: 150 };
  const run = await runTorture(options, () => {});
  const { logs, planned } = run;
  const verdicts = judge(logs);
  expect(verdicts.filter(({ broken }) => broken.length > 0)).toEqual([]);
  // The run was one: something was acknowledged, delivered, and tormented.
  expect(logs.senders.some(line => line.kind === 'answered' && line.status === 202)).toBe(true);
  expect(logs.receivers.some(({ took }) => took)).toBe(true);
  expect(planned.map(nameOf)).toEqual(expect.arrayContaining([...ofBoth, ...ofThisEngine]));
  // Those of storage were met. What people do needs something to do it to: in a minute there may be no dead letter to retry.
  const met = new Set(logs.faults.filter(fault => fault.met).map(({ kind }) => kind));
  expect(['kill', ...ofThisEngine].filter(kind => !met.has(kind))).toEqual([]);
  readReports(summarise(options, run, verdicts));
  rmSync(folder, { recursive: true });
});

/** As whoever looks at them does: what was run, what held, what was done when; and what is broken, were it so. */
function readReports(summary: Summary): void {
  const { verdicts, lines, options } = summary;
  const [report, page] = [writeMarkdown(summary), writePage(summary)];
  for (const text of [report, page]) {
    expect(text).toContain(`Torture of ${options.engine}, ${options.nodes} node`);
    expect(text).toContain(`--seed ${SEED}`);
    expect(text).toContain(`All ${verdicts.length} promises held.`);
    expect(text).not.toMatch(/undefined|NaN/);
  }
  const order = report.slice(report.indexOf('### In their order'), report.indexOf('## Not tried'));
  expect(order.match(/^- \d+\.\d–\d+\.\d s \S+: .+$/gm)).toHaveLength(lines.length);
  for (const [kind, times] of summary.faults) expect(page).toContain(`>${kind} (${times})</text>`);
  for (const mark of ['load, ', 'end of load, ', 'at rest, ']) expect(page).toContain(`>${mark}`);
  expect(page.match(/<title>/g)?.length).toBeGreaterThan(summary.faults.length);

  const [first, ...others] = verdicts;
  const sentence = 'evt_1 of <nobody> is lost.';
  const worse = {
    ...summary,
    verdicts: [{ name: '', promise: '', ...first, broken: [sentence] }, ...others],
  };
  expect(writeMarkdown(worse)).toContain(`### Broken: ${first?.name}\n\n- ${sentence}`);
  expect(writePage(worse)).toContain('<li>evt_1 of &lt;nobody&gt; is lost.</li>');
  for (const text of [writeMarkdown(worse), writePage(worse)])
    expect(text).toContain(`1 of ${verdicts.length} promises are broken.`);
}
