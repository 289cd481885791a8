import { NOT_TRIED } from './not-tried.ts';
import { isBroken, type Summary } from './summary.ts';

/** The report of a run, for people: what was promised, what held, and how to repeat it. */

const MOST_SHOWN = 20;

export const commandOf = ({ options: { engine, nodes, seed, seconds } }: Summary): string =>
  `npm run torture -- --engine ${engine} --nodes ${nodes} --minutes ${seconds / 60} --seed ${seed}`;

export const headline = (summary: Summary): string => {
  const broken = summary.verdicts.filter(verdict => verdict.broken.length > 0).length;
  return isBroken(summary)
    ? `${broken} of ${summary.verdicts.length} promises are broken.`
    : `All ${summary.verdicts.length} promises held.`;
};

export function writeMarkdown(summary: Summary): string {
  const table = (head: readonly [string, string], rows: readonly (readonly [string, string | number])[]) =>
    [`| ${head.join(' | ')} |`, '|---|---|', ...rows.map(row => `| ${row.join(' | ')} |`)].join('\n');
  const { engine, nodes, seed } = summary.options;
  return [
    `# Torture of ${engine}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}, seed ${seed}`,
    headline(summary),
    `To repeat it: \`${commandOf(summary)}\`. The schedule of faults is the same then; what each meets is not.`,
    '## Promises',
    table(
      ['Promise', 'Broken'],
      summary.verdicts.map(({ promise, broken }) => [promise, broken.length]),
    ),
    ...summary.verdicts.filter(({ broken }) => broken.length > 0).flatMap(broken => brokenSection(broken)),
    '## Figures',
    table(['', ''], summary.figures),
    '## Faults',
    table(['Kind', 'Times'], summary.faults),
    '### In their order',
    summary.lines
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, until, kind, detail }) => `- ${secondsOf(at)}–${secondsOf(until)} s ${kind}: ${detail}`)
      .join('\n'),
    '## Not tried',
    NOT_TRIED.map(line => `- ${line}`).join('\n'),
    '',
  ].join('\n\n');
}

const secondsOf = (ms: number): string => (ms / 1_000).toFixed(1);

function brokenSection({ name, broken }: Summary['verdicts'][number]): string[] {
  const more = broken.length - MOST_SHOWN;
  return [
    `### Broken: ${name}`,
    [
      ...broken.slice(0, MOST_SHOWN).map(sentence => `- ${sentence}`),
      ...(more > 0 ? [`- … and ${more} more.`] : []),
    ].join('\n'),
  ];
}
