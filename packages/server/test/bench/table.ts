import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Figure, Section } from './figure.ts';

/** The table of all figures, docs/benchmarks.md, and the last figures of each section on this machine. */
const root = join(import.meta.dir, '../../../..');
const resultsFile = join(root, 'bench-results', 'latest.json');
const tableFile = join(root, 'docs', 'benchmarks.md');

interface Kept {
  readonly at: string;
  readonly figures: readonly Figure[];
}

/** Keeps a section's new figures and writes the table anew; what was not measured stays as it was. */
export function keepFigures(
  sections: readonly Section[],
  { name }: Section,
  figures: readonly Figure[],
): void {
  const kept = { ...readKept(), [name]: { at: new Date().toISOString().slice(0, 10), figures } };
  mkdirSync(join(root, 'bench-results'), { recursive: true });
  writeFileSync(resultsFile, JSON.stringify(kept, null, 2));
  writeTable(sections, kept);
}

export const minutesOf = (sections: readonly Section[]): number =>
  Math.ceil(sections.reduce((sum, { minutes }) => sum + minutes, 0));

export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ name, measured, wanted, met }) =>
      `| ${name} | ${measured} | ${wanted} | ${wanted === '' ? '' : met ? 'yes' : 'no'} |`,
  );
  return ['| Figure | Measured | Wanted | Met |', '|---|---|---|---|', ...rows].join('\n');
}

function readKept(): Record<string, Kept> {
  try {
    return JSON.parse(readFileSync(resultsFile, 'utf8')) as Record<string, Kept>;
  } catch {
    return {};
  }
}

function writeTable(sections: readonly Section[], kept: Readonly<Record<string, Kept>>): void {
  const before = readTable();
  const parts = sections.flatMap(({ name, about }) => {
    const last = kept[name];
    if (last) return [`## ${about}\n\nMeasured on ${last.at}.\n\n${formatTable(last.figures)}`];
    return before.filter(part => part.startsWith(`## ${about}\n`));
  });
  const byHand = before.filter(part => !sections.some(({ about }) => part.startsWith(`## ${about}\n`)));
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  writeFileSync(
    tableFile,
    `# Benchmarks

Written by \`npm run bench\`, which takes about ${minutesOf(sections)} minutes and gives up any section that takes three times as
long as it should; every figure in our documents comes from here. \`npm run bench -- delivery\` measures one section,
and \`npm run bench -- --against URL --header 'Name: value'\` drives any other endpoint with the same load.

- The service runs as \`npm start\` starts it, with every role on; all that differs is that it may send to receivers of
  the same machine. Sender, receiver and database share that machine: ${cpus().length} cores (${cpus()[0]?.model.trim()}),
  ${gigabytes} GiB.
- Rates are compared within one run, turn and turn about, medians: with a bare \`Bun.serve\` that only parses and
  answers, and with a bare relay that parses, answers, signs and forwards from memory, 128 at once.
- CPU is what the kernel counts for the service, user and system, over the measured window; where a load leaves work
  behind, until that is done too.
- Bytes are those that SQLite's writing thread passed to the kernel, to the WAL and at checkpoints, or the growth of
  PostgreSQL's WAL; commits are counted by SQLite in its WAL index, and by PostgreSQL as transaction ids.

${[...parts, ...byHand].join('\n\n')}
`,
  );
}

/** The parts of the table as it stands: what was measured elsewhere is kept until it is measured here, or was written by hand. */
function readTable(): string[] {
  const [, ...parts] = readFileSync(tableFile, 'utf8').split(/\n(?=## )/);
  return parts.map(part => part.trim());
}
