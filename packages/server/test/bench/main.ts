import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { bodiesSection } from './bodies.ts';
import { conditionsSection } from './conditions.ts';
import { dashboardSection } from './dashboard.ts';
import { deliverySection } from './delivery.ts';
import { endpointsSection, postgresSection } from './endpoints.ts';
import { entitiesSection } from './entities.ts';
import type { Figure, Section } from './figure.ts';
import { historySection } from './history.ts';
import { hostileSection } from './hostile.ts';
import { neighboursSection } from './neighbours.ts';
import { pipelineSection } from './pipeline.ts';

/**
 * `npm run bench [section …]`: measures on this machine, prints a table, and keeps it. Sections that were not
 * asked for keep the figures of their last run.
 */
const sections: readonly Section[] = [
  endpointsSection,
  postgresSection,
  bodiesSection,
  historySection,
  pipelineSection,
  conditionsSection,
  deliverySection,
  neighboursSection,
  hostileSection,
  entitiesSection,
  dashboardSection,
];

const root = join(import.meta.dir, '../../../..');
const resultsFile = join(root, 'bench-results', 'latest.json');
const tableFile = join(root, 'docs', 'benchmarks.md');

interface Kept {
  readonly at: string;
  readonly figures: readonly Figure[];
}

const asked = process.argv.slice(2);
const unknown = asked.find(name => !sections.some(section => section.name === name));
if (unknown) {
  console.error(
    `There is no section "${unknown}". There are: ${sections.map(section => section.name).join(', ')}.`,
  );
  process.exit(2);
}

const kept = readKept();
for (const section of sections.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  console.log(`\n${section.about} …`);
  const figures = await section.run();
  kept[section.name] = { at: new Date().toISOString().slice(0, 10), figures };
  console.log(table(figures));
  save();
}
process.exit(0);

function readKept(): Record<string, Kept> {
  try {
    return JSON.parse(readFileSync(resultsFile, 'utf8')) as Record<string, Kept>;
  } catch {
    return {};
  }
}

function save(): void {
  mkdirSync(join(root, 'bench-results'), { recursive: true });
  writeFileSync(resultsFile, JSON.stringify(kept, null, 2));
  const before = readTable();
  const parts = sections.flatMap(({ name, about }) => {
    const last = kept[name];
    if (last) return [`## ${about}\n\nMeasured on ${last.at}.\n\n${table(last.figures)}`];
    return before.filter(part => part.startsWith(`## ${about}\n`));
  });
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  writeFileSync(
    tableFile,
    `# Benchmarks

Written by \`npm run bench\`; every figure in our documents comes from here. Rates are compared within one run: the
real server against a bare \`Bun.serve\` that only parses and answers, driven by \`wrk\` turn and turn about, medians.
Sender and server share the machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${gigabytes} GiB.

${parts.join('\n\n')}
`,
  );
}

/** The parts of the table as it stands: what was measured elsewhere is kept until it is measured here. */
function readTable(): string[] {
  const [, ...parts] = readFileSync(tableFile, 'utf8').split(/\n(?=## )/);
  return parts.map(part => part.trim());
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ name, measured, wanted, met }) =>
      `| ${name} | ${measured} | ${wanted} | ${wanted === '' ? '' : met ? 'yes' : 'no'} |`,
  );
  return ['| Figure | Measured | Wanted | Met |', '|---|---|---|---|', ...rows].join('\n');
}
