import { sign } from '../support/endpoints.ts';
import type { Fleet } from './fleet.ts';
import type { RunFiles } from './journal.ts';
import { DEFAULT_MOOD, MOODS, type MoodyModel } from './model.ts';
import { logIn, type Operator } from './operator.ts';
import type { Receivers } from './receivers.ts';
import { type Route, routes } from './routes.ts';
import { secretOfDestination } from './secrets.ts';

/** An organisation with every step and every kind of destination. */
export interface Organisation {
  readonly name: string;
  readonly id: string;
  readonly operator: Operator;
  readonly apiKey: string;
  /** A webhook source for each way of showing who sends, beside the API key. */
  readonly hooks: readonly Hook[];
  readonly source: string;
  /** Of the developer who listens. */
  readonly listenerToken: string;
  readonly destinations: ReadonlyMap<Route, string>;
  /** Its main pipeline; each edit says in the payload which version it is. */
  readonly pipeline: string;
  /** Of that pipeline, with this number in the payload. */
  steps(version: number): readonly object[];
  /** Of that pipeline, and of one more destination, where events are meant for it. */
  routing(doomed: string | null): readonly object[];
}

export interface Hook {
  readonly token: string;
  /** What a request with this body has to show. */
  headers(body: string): Record<string, string>;
}

export interface Surroundings {
  readonly fleet: Pick<Fleet, 'life' | 'size' | 'url'>;
  readonly files: RunFiles;
  readonly receivers: Receivers;
  readonly model: MoodyModel;
  /** A table of this name is there for each organisation. */
  readonly databaseUrl: string;
  /** Told of everything that must stand nowhere in the clear. */
  onSecret(name: string, secret: string): void;
}

/** How senders show who they are. No header says which type an event has, so that of the body counts. */
const waysToShow = (
  organisation: string,
): { auth: string; secret?: string; show(secret: string, body: string): Record<string, string> }[] => [
  { auth: 'hmac', show: (secret, body) => ({ 'X-Ingest-Signature': sign(secret, body) }) },
  // Its address is all that it asks for.
  { auth: 'none', show: () => ({}) },
  { auth: 'bearer', show: secret => ({ Authorization: `Bearer ${secret}` }) },
  {
    auth: 'provider',
    ...{ provider: 'github', secret: `canary-github-${organisation}-0123456789` },
    show: (secret, body) => ({ 'X-Hub-Signature-256': `sha256=${sign(secret, body)}` }),
  },
  {
    auth: 'custom',
    secret: `canary-custom-${organisation}-0123456789`,
    ...{ scheme: { header: 'x-own', algorithm: 'sha256', encoding: 'hex', signed: '{body}' } },
    show: (secret, body) => ({ 'X-Own': sign(secret, body) }),
  },
];

/** Short enough for a run to see the end of it, and longer than most faults. */
const POLICY = { attempts: 6, schedule_s: [0, 0.5, 1, 2, 4, 4], timeout_s: 2, concurrency: 8 };
const SHORT_POLICY = { ...POLICY, attempts: 3, schedule_s: [0, 0.3, 0.3] };

export const tableOf = (organisation: string): string => `events_of_${organisation.replaceAll('-', '_')}`;

export async function setUpOrganisation(
  name: string,
  id: string,
  surroundings: Surroundings,
): Promise<Organisation> {
  const { fleet, files, receivers, model } = surroundings;
  const operator = await logIn({ fleet, files }, id);
  const make = async (path: string, body: object) =>
    (await operator.call<Record<'id' | 'secret' | 'token', string>>('POST', path, body)).data;
  const keep = (what: string, secret: string) => {
    surroundings.onSecret(`${what} of ${name}`, secret);
    return secret;
  };

  const { secret: apiKey } = await make('/keys', { name: 'Senders' });
  keep('API key', apiKey);
  const sdk = await make('/sources', { kind: 'sdk', name: 'Everything', match: 'torture.*' });
  const hooks = [];
  for (const { show, ...given } of waysToShow(name)) {
    const hook = { kind: 'webhook', name: given.auth, rate: { per_second: 0 }, ...given };
    const { id: source, token, secret: generated } = await make('/sources', hook);
    const secret = given.secret ?? generated ?? '';
    if (secret !== '') keep(`secret of a source in ${given.auth} mode`, secret);
    keep(`token of a source in ${given.auth} mode`, token);
    hooks.push({ source, token, headers: (body: string) => show(secret, body) });
  }

  const destinations = new Map<Route, string>();
  const records = [];
  for (const route of routes) {
    const { kind, config, policy = POLICY } = destinationOf(route, name, surroundings, keep);
    const made = await make('/destinations', { kind, name: route, config, policy });
    if (made.secret) surroundings.onSecret(secretOfDestination(name, route), made.secret);
    destinations.set(route, made.id);
    records.push({ id: made.id, name: route, kind, attempts: policy.attempts, secret: made.secret ?? null });
  }

  const to = (route: Route, when?: string) => ({ id: destinations.get(route), ...(when ? { when } : {}) });
  const routing = (doomed: string | null) => [
    ...routes.map(route => to(route, `payload.route == "${route}"`)),
    ...(doomed === null ? [] : [{ id: doomed, when: 'payload.route == "doomed"' }]),
  ];
  const steps = (version: number) => [
    { kind: 'dedupe', config: { key: 'payload.id' } },
    { kind: 'filter.match', config: { condition: 'payload.passes && payload.route != "mood"' } },
    { kind: 'enrich.entity', config: { into: 'customer' } },
    { kind: 'redact.pii', config: { mode: 'mask' } },
    { kind: 'transform', config: { set: { version }, remove: ['customer'] } },
  ];
  const { id: pipeline } = await make('/pipelines', {
    name: 'Orders',
    sources: [sdk.id],
    steps: steps(1),
    destinations: routing(null),
  });
  await make('/pipelines', {
    name: 'Moods',
    sources: [sdk.id],
    steps: [
      { kind: 'filter.match', config: { condition: 'payload.route == "mood"' } },
      {
        kind: 'classify',
        config: {
          label: 'mood',
          labels: MOODS,
          prompt: 'What mood is it in?',
          model: {
            provider: 'openai-compatible',
            base_url: model.url,
            name: 'm',
            api_key: keep('API key of a model', `canary-model-${name}-0123456789`),
          },
          timeout_s: 1,
          retry_s: [0.5, 1],
          on_error: 'default',
          default_label: DEFAULT_MOOD,
        },
      },
      { kind: 'transform', config: { set: { mood: '$event.labels.mood' } } },
    ],
    destinations: [to('good')],
  });
  await make('/pipelines', {
    name: 'Hooks',
    sources: hooks.map(({ source }) => source),
    steps: [],
    destinations: [to('good')],
  });
  files.write('setUp', { organisation: name, id, destinations: records });
  return {
    name,
    id,
    operator,
    apiKey,
    hooks,
    source: sdk.id,
    listenerToken: records.find(({ kind }) => kind === 'listener')?.secret ?? '',
    destinations,
    pipeline,
    steps,
    routing,
  };

  function destinationOf(
    route: Route,
    organisation: string,
    { databaseUrl }: Surroundings,
    keepSecret: (what: string, secret: string) => string,
  ): { kind: string; config: object; policy?: typeof POLICY } {
    const url = receivers.url(organisation, route);
    const text = '{{event.id}} {{event.type}}';
    switch (route) {
      case 'good':
      case 'flaky':
      case 'pausable':
        return { kind: 'webhook', config: { url, auth: { mode: 'hmac' } } };
      case 'failing':
        return { kind: 'webhook', config: { url }, policy: SHORT_POLICY };
      case 'redirect':
        return { kind: 'webhook', config: { url }, policy: SHORT_POLICY };
      case 'bearer': {
        const secret = keepSecret('token of a destination', `canary-bearer-${organisation}-0123456789`);
        return { kind: 'webhook', config: { url, auth: { mode: 'bearer', secret } } };
      }
      case 'slack':
        return { kind: 'slack', config: { url: `${url}/services/T0/B0/X`, text } };
      case 'slack-bot': {
        const token = keepSecret('Slack token', `xoxb-canary-${organisation}-0123456789`);
        return { kind: 'slack', config: { bot_token: token, channel: '#all', base_url: `${url}/api`, text } };
      }
      case 'discord':
        return { kind: 'discord', config: { url: `${url}/api/webhooks/0/X`, text } };
      case 'telegram': {
        const token = keepSecret('Telegram token', `123456:canary-${organisation}-0123456789`);
        return { kind: 'telegram', config: { bot_token: token, chat_id: -100, base_url: url, text } };
      }
      case 'notion':
        return {
          kind: 'notion',
          config: {
            token: keepSecret('Notion token', `ntn_canary_${organisation}_0123456789`),
            database_id: 'd9824bdc84454327be8b5b47500af6ce',
            properties: { Name: text },
            base_url: url,
          },
        };
      case 'email':
        return {
          kind: 'email',
          config: {
            host: '127.0.0.1',
            port: receivers.mailPort,
            security: 'none',
            from: 'sluice@example.com',
            to: [`${organisation}@example.com`],
            subject: text,
          },
        };
      case 'postgres':
        return {
          kind: 'postgres',
          config: {
            connection_string: databaseUrl,
            table: tableOf(organisation),
            columns: { event_id: '$event.id', type: '$event.type' },
          },
        };
      case 'inbox':
      case 'listener':
        return { kind: route, config: {} };
    }
  }
}
