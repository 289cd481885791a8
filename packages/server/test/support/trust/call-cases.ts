import type { Route } from '@sluice/contract/private-calls';
import { joinPath } from '../../../src/core/json/json.ts';
import type { Role } from '../../../src/core/stores/accounts.ts';
import { PASSWORD } from '../dashboard.ts';
import type { Things } from './things.ts';

/** What the tests of isolation, of roles and of bad input have to know of a private call beyond the contract's table. */
export interface CallCase {
  /** The least role that may make it; `anyone` needs no session. */
  readonly least: Role | 'anyone';
  /** It concerns the whole installation, and is answered in the operator's organisation alone. */
  readonly isOperators?: boolean;
  /** A body that would do, naming as many things as it can. */
  body?(things: Things): unknown;
  /** A field of the body is taken from the answer to another call, which is asked about these fields of it. */
  readonly basedOn?: { readonly route: Route; readonly given: readonly string[]; readonly field: string };
  /** Parameters without which nothing is answered. */
  readonly query?: Readonly<Record<string, string>>;
}

/** The body of a call, completed with what the call answers that it is based on; `ask` answers its data. */
export async function basedBody(
  route: Route,
  body: unknown,
  ask: (first: Route, body: object) => Promise<unknown>,
): Promise<unknown> {
  const { basedOn } = callCases[route];
  if (basedOn === undefined || typeof body !== 'object' || body === null) return body;
  const { given, field } = basedOn;
  const data = await ask(
    basedOn.route,
    Object.fromEntries(Object.entries(body).filter(([name]) => given.includes(name))),
  );
  return typeof data === 'object' && data !== null && Object.hasOwn(data, field)
    ? { ...body, [field]: (data as Record<string, unknown>)[field] }
    : body;
}

const viewer = { least: 'viewer' } as const;
const member = { least: 'member' } as const;
const admin = { least: 'admin' } as const;
const definition = ({ paths, word }: Things) => ({
  name: `${word} pipeline`,
  sources: [paths['/sources']],
  steps: [{ kind: 'filter.match', config: { condition: 'payload.n > 1' } }],
  destinations: [{ id: paths['/destinations'], when: 'true' }],
  enabled: false,
});
const filter = ({ paths, word, eventType, parameters }: Things) => ({
  source: paths['/sources'],
  pipeline: paths['/pipelines'],
  destination: paths['/destinations'],
  entity: `${parameters.kind}:${parameters.external_id}`,
  type: eventType,
  text: word,
});

const view = ({ word, eventType }: Things) => ({
  name: `${word} view`,
  filters: { type: eventType },
  columns: ['received', 'type'],
});

/** Its names come after all others, whoever's they are. */
const configurationFile = ({ word, paths }: Things) => ({
  document: [
    'sluice: 1',
    `sources: {"zz ${word} source": {kind: sdk, match: "*"}}`,
    `destinations: {"zz ${word} inbox": {kind: inbox}}`,
    `pipelines: {"zz ${word} pipeline": {sources: ["zz ${word} source", "${paths['/sources']}"], destinations: [{name: "zz ${word} inbox"}]}}`,
  ].join('\n'),
  remove: true,
});

/** Stands in a body until it is known what it is based on. */
export const UNKNOWN_BASE = 'of another moment';

/** Whoever has things of these names has them changed; anybody else makes them. */
const appliedFile = ({ word }: Things) => ({
  document: [
    'sluice: 1',
    `sources: {"${word} source": {kind: sdk, match: "${word}.applied"}}`,
    `destinations: {"${word} destination": {kind: webhook, config: {url: "https://1.1.1.1/${word}", auth: {mode: bearer, secret: !secret}}}}`,
    `pipelines: {"${word} applied": {sources: ["${word} source"], destinations: [{name: "${word} destination"}], enabled: false}}`,
  ].join('\n'),
  remove: false,
  base: UNKNOWN_BASE,
  secrets: [
    {
      path: joinPath('destinations', `${word} destination`).concat('.config.auth.secret'),
      value: 'a secret',
    },
  ],
});

/** A line for each call of the contract's table: the compiler and the tests ask for it. */
export const callCases: Readonly<Record<Route, CallCase>> = {
  'GET /session': viewer,
  'POST /session': { least: 'anyone', body: () => ({ email: 'nobody@example.com', password: PASSWORD }) },
  'DELETE /session': viewer,
  'PUT /session/organisation': { ...viewer, body: ({ paths }) => ({ id: paths['/organisations'] }) },

  'GET /account': viewer,
  'PATCH /account': { ...viewer, body: () => ({ time_zone: 'utc', clock: '12h' }) },
  'PUT /account/password': { ...viewer, body: () => ({ password: 'wrong', new_password: PASSWORD }) },
  'GET /account/sessions': viewer,
  'DELETE /account/sessions': viewer,
  'DELETE /account/sessions/:id': viewer,
  'POST /account/second-factor/offer': viewer,
  'PUT /account/second-factor': {
    ...viewer,
    body: () => ({ password: 'wrong', secret: 'A'.repeat(32), code: '123456' }),
  },
  'POST /account/second-factor/recovery-codes': { ...viewer, body: () => ({ password: 'wrong' }) },
  'POST /account/second-factor/off': { ...viewer, body: () => ({ password: 'wrong' }) },

  'GET /setup': { least: 'anyone' },
  'POST /setup': {
    least: 'anyone',
    body: ({ word }) => ({
      code: word,
      organisation: word,
      email: `${word}@example.com`,
      password: PASSWORD,
    }),
  },
  'GET /invitations/:code': { least: 'anyone' },
  'POST /invitations/:code': { least: 'anyone', body: () => ({ password: PASSWORD }) },

  'GET /members': viewer,
  'POST /members': { ...admin, body: () => ({ email: 'guest@example.com', role: 'viewer' }) },
  'GET /members/:id': viewer,
  'PATCH /members/:id': { ...admin, body: () => ({ role: 'member' }) },
  'DELETE /members/:id': admin,

  'GET /organisations': viewer,
  'POST /organisations': { least: 'owner', body: () => ({ name: 'Another' }) },
  'GET /organisations/:id': viewer,
  'PATCH /organisations/:id': {
    ...admin,
    body: () => ({ name: 'Renamed', retention_days: 7, searchable_traits: ['word'] }),
  },
  'DELETE /organisations/:id': { least: 'owner' },
  'GET /whereabouts/:id': viewer,

  'GET /keys': viewer,
  'POST /keys': { ...admin, body: () => ({ name: 'k' }) },
  'GET /keys/:id': viewer,
  'PATCH /keys/:id': { ...admin, body: () => ({ name: 'renamed' }) },
  'DELETE /keys/:id': admin,

  'GET /sources': viewer,
  'POST /sources': {
    ...member,
    body: () => ({ kind: 'webhook', name: 's', auth: 'hmac', rate: { per_second: 10, burst: 20 } }),
  },
  'GET /sources/:id': viewer,
  'PATCH /sources/:id': { ...member, body: () => ({ name: 'renamed', enabled: false, auth: 'none' }) },
  'DELETE /sources/:id': member,
  'POST /sources/:id/rotate': { ...member, body: () => ({ overlap_s: 60 }) },
  'GET /sources/:id/rejections': viewer,
  'GET /sources/:id/rejections/groups': viewer,

  'GET /kinds/steps': viewer,
  'GET /pipelines': viewer,
  'POST /pipelines': { ...member, body: definition },
  'GET /pipelines/:id': viewer,
  'PATCH /pipelines/:id': { ...member, body: definition },
  'DELETE /pipelines/:id': member,
  'GET /pipelines/:id/versions': viewer,
  'POST /pipelines/:id/notes': { ...member, body: () => ({ version: 1, note: 'Why' }) },
  'GET /pipelines/:id/figures': viewer,
  'POST /pipelines/:id/rollback': { ...member, body: () => ({ version: 1 }) },
  'POST /pipelines/dry-run': {
    ...member,
    body: things => ({
      pipeline: { ...definition(things), id: things.paths['/pipelines'] },
      event_id: things.paths['/events'],
    }),
  },
  'GET /test-events': viewer,
  'POST /test-events': {
    ...member,
    body: ({ word, eventType }) => ({ name: `${word} test`, event: { type: eventType, payload: { word } } }),
  },
  'PATCH /test-events/:id': { ...member, body: () => ({ name: 'renamed', event: { type: 'a.b' } }) },
  'DELETE /test-events/:id': member,
  'POST /conditions/check': { ...viewer, body: () => ({ condition: 'payload.n > 1 && event.type == "a"' }) },

  'GET /alerts': viewer,
  'GET /kinds/destinations': viewer,
  'GET /kinds/providers': viewer,
  'GET /destinations': viewer,
  'POST /destinations': {
    ...member,
    body: () => ({
      kind: 'webhook',
      name: 'd',
      config: { url: 'http://127.0.0.1:9/x', auth: { mode: 'bearer', secret: 'a secret' } },
      policy: { attempts: 2, schedule_s: [0, 1], timeout_s: 1, concurrency: 1, rate_per_second: 1 },
    }),
  },
  'POST /destinations/columns': {
    ...member,
    body: ({ paths }) => ({
      kind: 'postgres',
      config: { connection_string: { set: true }, table: 'events' },
      id: paths['/destinations'],
    }),
  },
  'POST /destinations/preview': {
    ...member,
    body: ({ paths }) => ({
      kind: 'slack',
      config: { text: '{{event.id}} {{payload.word}}' },
      id: paths['/destinations'],
      event_id: paths['/events'],
    }),
  },
  'GET /destinations/:id': viewer,
  'PATCH /destinations/:id': {
    ...member,
    body: () => ({ name: 'renamed', config: { url: 'http://127.0.0.1:9/y' }, policy: { attempts: 1 } }),
  },
  'DELETE /destinations/:id': member,
  'GET /destinations/:id/figures': viewer,
  'POST /destinations/:id/pause': member,
  'POST /destinations/:id/resume': member,
  'POST /destinations/:id/rotate': { ...member, body: () => ({ overlap_s: 60 }) },
  'POST /destinations/:id/test': { ...member, body: ({ paths }) => ({ event_id: paths['/events'] }) },
  'POST /destinations/:id/probe': member,

  'GET /events': viewer,
  'GET /events/histogram': viewer,
  'GET /events/types': viewer,
  'GET /events/export': viewer,
  'POST /exports': { ...viewer, body: things => ({ filter: filter(things), format: 'csv' }) },
  'GET /events/:id': viewer,
  'POST /events/:id/replay': { ...member, body: () => ({ version: 'original' }) },
  'POST /events/:id/discard': member,
  'POST /replays': { ...member, body: things => ({ filter: filter(things), version: 'current' }) },

  'GET /jobs': viewer,
  'GET /jobs/:id': viewer,
  // Of somebody else's it takes a member: see the tests of roles.
  'POST /jobs/:id/cancel': viewer,
  'GET /jobs/:id/file': viewer,

  'GET /views': viewer,
  'POST /views': { ...viewer, body: view },
  'PATCH /views/:id': { ...viewer, body: view },
  'DELETE /views/:id': viewer,

  'GET /deliveries': viewer,
  'GET /deliveries/count': viewer,
  'GET /deliveries/:id': viewer,
  'POST /deliveries/:id/retry': member,
  'POST /deliveries/:id/discard': member,

  'GET /dead-letters': viewer,
  'GET /dead-letters/summary': viewer,
  'GET /dead-letters/export': viewer,
  'POST /dead-letters/retry': {
    ...member,
    body: ({ paths }) => ({
      filter: {
        event: paths['/events'],
        pipeline: paths['/pipelines'],
        destination: paths['/destinations'],
      },
    }),
  },
  'POST /dead-letters/discard': {
    ...member,
    body: ({ paths }) => ({
      filter: {
        event: paths['/events'],
        pipeline: paths['/pipelines'],
        destination: paths['/destinations'],
      },
    }),
  },

  'GET /entities': viewer,
  'POST /entities': {
    ...member,
    body: ({ parameters: { kind, external_id } }) => ({ kind, external_id, traits: { plan: 'pro' } }),
  },
  'GET /entities/:kind/:external_id': viewer,
  'PUT /entities/:kind/:external_id': { ...member, body: () => ({ traits: { plan: 'pro' } }) },
  'PATCH /entities/:kind/:external_id': { ...member, body: () => ({ traits: { plan: null } }) },
  'DELETE /entities/:kind/:external_id': member,
  'GET /entities/:kind/:external_id/links': viewer,
  'PUT /entities/:kind/:external_id/links/:relation/:to_kind/:to_external_id': member,
  'DELETE /entities/:kind/:external_id/links/:relation/:to_kind/:to_external_id': member,
  'GET /entities/:kind/:external_id/graph': viewer,
  'GET /entities/:kind/:external_id/identity': viewer,
  'GET /entities/:kind/:external_id/events': viewer,

  'GET /configuration/file': viewer,
  'POST /configuration/difference': { ...member, body: configurationFile },
  'POST /configuration/apply': {
    ...member,
    body: appliedFile,
    basedOn: { route: 'POST /configuration/difference', given: ['document', 'remove'], field: 'base' },
  },

  'GET /audit': viewer,
  'GET /audit/export': viewer,
  'GET /audit/actors': viewer,
  'GET /audit/:id': viewer,
  'GET /search': { ...viewer, query: { text: 'nothing' } },
  'GET /counters': { ...viewer, query: { names: 'received' } },
  'GET /figures/destinations': viewer,
  'GET /figures/sources': viewer,
  'GET /figures/pipelines': viewer,
  'GET /badges': viewer,
  'GET /overview': viewer,
  'GET /overview/top': viewer,
  'GET /map': viewer,
  'GET /health': viewer,
  'GET /nodes': { ...viewer, isOperators: true },

  'GET /live': { ...viewer, query: { call: '/jobs' } },
  'GET /live/events': viewer,
};

export const routes = Object.keys(callCases) as Route[];
