import { NOT_TRIED } from './not-tried.ts';
import { commandOf, headline } from './report.ts';
import { isBroken, type Second, type Summary } from './summary.ts';

/** The same report as one page that needs nothing else, with a timeline of rates and faults. */

const WIDTH = 1_200;
const LEFT = 150;
const CHART = 90;
const ROW = 16;

const escaped = (text: string | number): string =>
  String(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export function writePage(summary: Summary): string {
  const { engine, nodes, seed } = summary.options;
  const rows = (all: readonly (readonly [string, string | number])[]) =>
    all
      .map(([name, value]) => `<tr><td>${escaped(name)}</td><td class="n">${escaped(value)}</td></tr>`)
      .join('');
  const promises = summary.verdicts.map(({ promise, broken }) => [promise, broken.length] as const);
  const sentences = summary.verdicts.flatMap(({ broken }) => broken.slice(0, 20));
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Torture of ${engine}, seed ${seed}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: ${WIDTH}px; margin: 2rem auto; padding: 0 1rem; color: #1f2933; }
table { border-collapse: collapse; margin: 1rem 0; } td { border-bottom: 1px solid #d9e2ec; padding: 3px 12px 3px 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; } code { background: #f0f4f8; padding: 2px 5px; }
.held { color: #18794e; } .broken { color: #b42318; } svg { width: 100%; height: auto; } text { font: 11px system-ui; fill: #52606d; }
@media (prefers-color-scheme: dark) { body { background: #14181d; color: #d9e2ec; } code { background: #232a32; } td { border-color: #323f4b; } text { fill: #9aa5b1; } }
</style>
<h1>Torture of ${engine}, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}</h1>
<p class="${isBroken(summary) ? 'broken' : 'held'}"><strong>${headline(summary)}</strong></p>
<p>To repeat it: <code>${escaped(commandOf(summary))}</code></p>
${timeline(summary)}
<h2>Promises</h2><table><tr><th></th><th>Broken</th></tr>${rows(promises)}</table>
${sentences.length === 0 ? '' : `<ul class="broken">${sentences.map(line => `<li>${escaped(line)}</li>`).join('')}</ul>`}
<h2>Figures</h2><table>${rows(summary.figures)}</table>
<h2>Faults</h2><table>${rows(summary.faults)}</table>
<h2>Not tried</h2><ul>${NOT_TRIED.map(line => `<li>${escaped(line)}</li>`).join('')}</ul>
</html>
`;
}

const charts: readonly (readonly [string, keyof Second, string])[] = [
  ['events accepted a second', 'accepted', '#228be6'],
  ['requests at receivers', 'received', '#18794e'],
  ['answered with 503', 'unavailable', '#e8590c'],
  ['without an answer', 'unanswered', '#b42318'],
];

/** Rates on top, then a row for each kind of fault. */
function timeline({ seconds, lines, faults, marks }: Summary): string {
  const x = (ms: number) => LEFT + (ms / (seconds.length * 1_000)) * (WIDTH - LEFT);
  const wide = Math.max(0.5, (WIDTH - LEFT) / seconds.length - 0.5);
  const drawn = charts.map(([name, key, colour], n) => {
    const most = Math.max(1, ...seconds.map(second => second[key]));
    const bottom = (n + 1) * (CHART + 12);
    const bars = seconds.map((second, at) => {
      const height = (second[key] / most) * CHART;
      return height === 0
        ? ''
        : `<rect x="${x(at * 1_000).toFixed(1)}" y="${(bottom - height).toFixed(1)}" width="${wide.toFixed(1)}" height="${height.toFixed(1)}" fill="${colour}"/>`;
    });
    return `<text x="0" y="${bottom - CHART / 2}">${name}</text><text x="0" y="${bottom - CHART / 2 + 14}">up to ${most}</text>${bars.join('')}`;
  });
  const top = charts.length * (CHART + 12) + 20;
  const marked = faults.map(([kind, times], n) => {
    const y = top + n * ROW;
    const bars = lines
      .filter(line => line.kind === kind)
      .map(
        ({ at, until, detail }) =>
          `<rect x="${x(at).toFixed(1)}" y="${y - 10}" width="${Math.max(2, x(until) - x(at)).toFixed(1)}" height="11" fill="#7048e8" fill-opacity="0.75"><title>${escaped(detail)}</title></rect>`,
      );
    return `<text x="0" y="${y}">${kind} (${times})</text>${bars.join('')}`;
  });
  const height = top + faults.length * ROW + 3 * ROW;
  const ends = [
    ['load', marks.began],
    ['end of load', marks.ended],
    ['at rest', marks.drained],
  ] as const;
  // Each name on a line of its own, since the last two moments lie close together.
  const lineOf = ([name, ms]: (typeof ends)[number], n: number) => {
    const y = height - (ends.length - 1 - n) * ROW - 4;
    return `<line x1="${x(ms)}" x2="${x(ms)}" y1="0" y2="${y - 12}" stroke="#9aa5b1" stroke-dasharray="3"/><text x="${x(ms)}" y="${y}" text-anchor="${n === 0 ? 'start' : 'end'}">${name}, ${Math.round(ms / 1_000)} s</text>`;
  };
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Rates and faults over time">${[...drawn, ...marked, ...ends.map(lineOf)].join('')}</svg>`;
}
