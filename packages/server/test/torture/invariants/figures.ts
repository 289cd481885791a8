import type { FinalLine } from '../lines.ts';
import type { Invariant } from './evidence.ts';

type Figures = Extract<FinalLine, { kind: 'figures' }>;

export const figuresAgree: Invariant = {
  name: 'figures',
  promise:
    'Lists, summaries and figures agree: those that are counted when asked exactly, those that are summed up lose a second at each kill and invent nothing.',
  broken: ({ logs }) => logs.final.flatMap(line => (line.kind === 'figures' ? wrongWith(line) : [])),
};

function wrongWith({ organisation, lists, figures }: Figures): string[] {
  const list = (name: string) => lists[name] ?? 0;
  const figure = (name: string) => figures[name] ?? 0;
  const sumOf = (prefix: string) =>
    Object.entries(lists).reduce((sum, [name, count]) => sum + (name.startsWith(prefix) ? count : 0), 0);
  const sentences: string[] = [];
  const same = (what: string, one: number, other: number) => {
    if (one !== other) sentences.push(`${organisation}: ${what}: ${one} and ${other}.`);
  };
  const atMost = (what: string, counted: number, there: number) => {
    if (counted > there) sentences.push(`${organisation}: ${what}: ${counted} of ${there}.`);
  };
  same('events, and events by state', list('events'), sumOf('events '));
  same('deliveries, and deliveries by state', list('deliveries'), sumOf('deliveries '));
  same('dead deliveries, and dead letters', list('deliveries dead'), list('dead letters delivery'));
  for (const kind of ['delivery', 'event']) {
    same(
      `dead letters (${kind}), and their summary`,
      list(`dead letters ${kind}`),
      figure(`dead letters ${kind}`),
    );
    same(
      `dead letters (${kind}), and the overview`,
      list(`dead letters ${kind}`),
      figure(`overview dead letters ${kind}`),
    );
  }
  for (const what of ['accepted', 'pending', 'retrying', 'held'])
    same(`backlog ${what}`, 0, figure(`backlog ${what}`));
  atMost('received, counted and listed', figure('overview received'), list('events'));
  atMost('delivered, counted and listed', figure('overview delivered'), list('deliveries delivered'));
  return sentences;
}
