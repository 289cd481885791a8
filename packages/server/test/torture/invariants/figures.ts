import type { FinalLine } from '../lines.ts';
import { surelyDelivered, surelyReceived } from './counted.ts';
import type { Evidence, Invariant } from './evidence.ts';

type Figures = Extract<FinalLine, { kind: 'figures' }>;

export const figuresAgree: Invariant = {
  name: 'figures',
  promise:
    'Lists, summaries and figures agree: those that are counted when asked exactly; those that are summed up invent nothing, and miss only what was counted within seconds of a fault.',
  broken: evidence =>
    evidence.logs.final.flatMap(line => (line.kind === 'figures' ? wrongWith(line, evidence) : [])),
};

/** Not there is not the same as nothing. */
const MISSING = Number.NaN;

function wrongWith({ organisation, lists, figures }: Figures, evidence: Evidence): string[] {
  const list = (name: string) => lists[name] ?? MISSING;
  const figure = (name: string) => figures[name] ?? MISSING;
  const sumOf = (prefix: string) =>
    Object.entries(lists).reduce((sum, [name, count]) => sum + (name.startsWith(prefix) ? count : 0), 0);
  const sentences: string[] = [];
  const same = (what: string, one: number, other: number) => {
    if (one !== other) sentences.push(`${organisation}: ${what}: ${one} and ${other}.`);
  };
  const between = (what: string, least: number, counted: number, there: number) => {
    if (!(least <= counted && counted <= there))
      sentences.push(
        `${organisation}: ${what}: ${counted} of ${there}, of which ${least} were counted for sure.`,
      );
  };
  same('events, and events by state', list('events'), sumOf('events '));
  same('deliveries, and deliveries by state', list('deliveries'), sumOf('deliveries '));
  same('dead deliveries, and dead letters', list('deliveries dead'), list('dead letters delivery'));
  same('failed events, and dead letters', list('events failed'), list('dead letters event'));
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
  for (const state of ['processed', 'dropped', 'failed', 'unrouted'])
    between(`${state}, counted and listed`, 0, figure(`overview ${state}`), list(`events ${state}`));
  between(
    'received, counted and listed',
    surelyReceived(evidence, organisation),
    figure('overview received'),
    list('events'),
  );
  between(
    'delivered, counted and listed',
    surelyDelivered(evidence, organisation),
    figure('overview delivered'),
    list('deliveries delivered'),
  );
  return sentences;
}
