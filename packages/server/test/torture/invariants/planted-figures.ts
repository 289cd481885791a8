import { type Draft, figuresOf } from './clean-logs.ts';

/** Lists and figures that do not agree, or are not there. */
export const plantedFigures: [string, string, (logs: Draft) => void][] = [
  [
    'figures',
    'a list by state that lacks something',
    logs => {
      figuresOf(logs).lists['events processed'] = 3;
    },
  ],
  [
    'figures',
    'a summary of other dead letters than there are',
    logs => {
      figuresOf(logs).figures['dead letters delivery'] = 2;
    },
  ],
  [
    'figures',
    'a backlog that is none',
    logs => {
      figuresOf(logs).figures['backlog pending'] = 1;
    },
  ],
  [
    'figures',
    'more received than there is',
    logs => {
      figuresOf(logs).figures['overview received'] = 5;
    },
  ],
  [
    'figures',
    'more delivered than there is',
    logs => {
      figuresOf(logs).figures['overview delivered'] = 4;
    },
  ],
  [
    'figures',
    'deliveries that no list by state has',
    logs => {
      figuresOf(logs).lists.deliveries = 5;
    },
  ],
  [
    'figures',
    'more dropped than there is',
    logs => {
      figuresOf(logs).figures['overview dropped'] = 1;
    },
  ],
  [
    'figures',
    'nothing received, though nothing befell whoever counts',
    logs => {
      figuresOf(logs).figures['overview received'] = 0;
    },
  ],
  [
    'figures',
    'fewer delivered than were taken while nothing befell anybody',
    logs => {
      figuresOf(logs).figures['overview delivered'] = 2;
    },
  ],
  ...[
    ...['dead letters event', 'overview dead letters delivery', 'overview received', 'overview delivered'],
    ...['overview processed', 'backlog held'],
  ].map((name): [string, string, (logs: Draft) => void] => [
    'figures',
    `a figure without its name: ${name}`,
    logs => void delete figuresOf(logs).figures[name],
  ]),
  ...['events', 'deliveries', 'events failed', 'deliveries dead', 'dead letters event'].map(
    (name): [string, string, (logs: Draft) => void] => [
      'figures',
      `a list without its name: ${name}`,
      logs => void delete figuresOf(logs).lists[name],
    ],
  ),
];
