import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { judge } from './invariants/registry.ts';
import { readOptions } from './options.ts';
import { writePage } from './page.ts';
import { headline, writeMarkdown } from './report.ts';
import { runTorture } from './run.ts';
import { isBroken, summarise } from './summary.ts';

/** `npm run torture`: runs, holds the logs to every promise, and writes the report. Ends with 1 where one is broken. */
const PAUSE_BETWEEN_REQUESTS_MS = 150;

const options = readOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(options);
  process.exit(2);
}
// Whatever ends the run ends the servers that it started: they are told when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const root = join(import.meta.dir, '../../../..');
const folder = join(root, 'torture-results', `${options.engine}-${options.seed}`);
const run = await runTorture({ ...options, folder, pauseMs: PAUSE_BETWEEN_REQUESTS_MS }, console.log);
const summary = summarise(options, run, judge(run.logs));
const report = writeMarkdown(summary);
writeFileSync(join(folder, 'report.md'), report);
writeFileSync(join(folder, 'report.html'), writePage(summary));
console.log(`\n${report.slice(0, report.indexOf('### In their order'))}`);
console.log(`${headline(summary)} The report is in ${relative(process.cwd(), folder)}, with all logs.`);
process.exit(isBroken(summary) ? 1 : 0);
