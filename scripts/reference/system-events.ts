import { withOrganisation } from '../../packages/contract/src/organisation-address.ts';
import {
  type SystemEventType,
  systemEvents,
  systemEventTypes,
} from '../../packages/contract/src/system-events.ts';
import { pageAbout, systemPayload } from '../../packages/server/src/alerts/payload.ts';
import type { Trouble } from '../../packages/server/src/core/stores/alerts.ts';
import { table } from './table.ts';

const SINCE = Date.UTC(2026, 0, 31, 11, 30, 28);

const destination = { type: 'destination', id: 'dst_01KG…', name: 'Shop', kind: 'webhook' } as const;
const source = { type: 'source', id: 'src_01KG…', name: 'Stripe', kind: 'webhook' } as const;
const organisation = { type: 'organisation', id: 'org_01KG…', name: 'Acme', kind: 'organisation' } as const;

type Sample = Pick<Trouble, 'subject' | 'counts'> &
  Partial<Pick<Trouble, 'lastError' | 'state' | 'address'>> & { readonly until?: number };

/** What each event might be about. */
const samples: Readonly<Record<SystemEventType, Sample>> = {
  'sluice.destination.down': {
    subject: destination,
    counts: { waiting: 1_299 },
    lastError: 'The receiver answered 503.',
  },
  'sluice.destination.recovered': { subject: destination, counts: { waiting: 12 }, until: SINCE + 260_000 },
  'sluice.dead_letters.growing': {
    subject: organisation,
    counts: { deliveries: 14, events: 0 },
    lastError: 'A delivery to Shop is dead: bad_status.',
  },
  'sluice.source.rejecting': {
    subject: source,
    counts: { rejected: 25 },
    lastError: 'unauthenticated: The signature does not fit.',
  },
  'sluice.source.quiet': { subject: source, counts: { expect_every_minutes: 60, quiet_minutes: 61 } },
  'sluice.backlog.growing': { subject: organisation, counts: { events: 0, deliveries: 4_812 } },
  'sluice.pipeline.failing': {
    subject: { type: 'pipeline', id: 'pipe_01KG…', name: 'Orders', kind: 'pipeline' },
    counts: { failed: 7 },
    lastError: 'The model did not answer in time.',
  },
  'sluice.job.finished': {
    subject: { type: 'job', id: 'job_01KG…', name: 'replay', kind: 'replay' },
    counts: { total: 200, done: 200, failed: 3 },
    state: 'done',
  },
  'sluice.login.suspicious': {
    subject: { type: 'member', id: 'usr_01KG…', name: 'ada@example.com', kind: 'owner' },
    counts: { failed: 10 },
    address: '192.0.2.17',
  },
  'sluice.disk.low': {
    subject: { type: 'installation', id: 'disk', name: 'disk', kind: 'installation' },
    counts: { free_bytes: 812_646_400 },
  },
  'sluice.node.lost': {
    subject: { type: 'node', id: 'node_01KG…', name: 'node_01KG…', kind: 'process,deliver' },
    counts: {},
  },
};

/** One section for each system event, from its description and the code that makes its payload. */
export const renderSystemEvents = (): string => `# System events

What Sluice says of itself, as ordinary events of each organisation's *System* source. [Alerts](../alerts.md) tells how to have them
sent somewhere. Fields may be added to a payload; those that are here keep their names and meanings.

${systemEventTypes.map(section).join('\n\n')}
`;

function section(type: SystemEventType): string {
  const { when, subject, waiting, counts, isForOperator } = systemEvents[type];
  const trouble = { orgId: 'org_01KG…', type, since: SINCE, lastError: null, ...samples[type] };
  const url = `https://sluice.example.com${withOrganisation('acme', pageAbout(trouble))}`;
  const rows = [
    ['`subject`', `${subject}: its \`kind\`, \`id\`, \`name\` and \`subtype\``],
    ...(waiting === null ? [] : [['`waiting`', waiting]]),
    ...Object.entries(counts).map(([name, meaning]) => [`\`counts.${name}\``, meaning]),
  ];
  return [
    `## ${type}`,
    `${when}${isForOperator ? ' Raised in the first organisation of the installation alone.' : ''}`,
    table(['Field', 'Meaning'], rows),
    `\`\`\`json\n${JSON.stringify(systemPayload(trouble, url), null, 2)}\n\`\`\``,
  ].join('\n\n');
}
