import { sign } from '../support/endpoints.ts';
import { DEFAULT_MOOD, MOODS } from './model.ts';
import type { Receivers } from './receivers.ts';
import type { Route } from './routes.ts';

/** What an organisation is made of: every step, every kind of destination, and every way to show who sends. */

/** Remembers what must stand nowhere in the clear, and answers it. */
type Keep = (what: string, secret: string) => string;

/** Where destinations lead. */
export interface Reachable {
  readonly receivers: Pick<Receivers, 'mailPort' | 'url'>;
  /** A table of this name is there for each organisation. */
  readonly databaseUrl: string;
}

export const tableOf = (organisation: string): string => `events_of_${organisation.replaceAll('-', '_')}`;

/** How senders show who they are. No header says which type an event has, so that of the body counts. */
export const waysToShow = (
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
export const POLICY = { attempts: 6, schedule_s: [0, 0.5, 1, 2, 4, 4], timeout_s: 2, concurrency: 8 };
const SHORT_POLICY = { ...POLICY, attempts: 3, schedule_s: [0, 0.3, 0.3] };

/** Of the main pipeline; each edit says in the payload which version it is. */
export const mainSteps = (version: number) => [
  { kind: 'dedupe', config: { key: 'payload.id' } },
  { kind: 'filter.match', config: { condition: 'payload.passes && payload.route != "mood"' } },
  { kind: 'enrich.entity', config: { into: 'customer' } },
  { kind: 'redact.pii', config: { mode: 'mask' } },
  { kind: 'transform', config: { set: { version }, remove: ['customer'] } },
];

/** Of the pipeline that asks a model. */
export const moodSteps = (modelUrl: string, modelKey: string) => [
  { kind: 'filter.match', config: { condition: 'payload.route == "mood"' } },
  {
    kind: 'classify',
    config: {
      label: 'mood',
      labels: MOODS,
      prompt: 'What mood is it in?',
      model: { provider: 'openai-compatible', base_url: modelUrl, name: 'm', api_key: modelKey },
      timeout_s: 1,
      retry_s: [0.5, 1],
      on_error: 'default',
      default_label: DEFAULT_MOOD,
    },
  },
  { kind: 'transform', config: { set: { mood: '$event.labels.mood' } } },
];

/** A destination of each kind, under the name of the route that leads to it. */
export function destinationOf(
  route: Route,
  organisation: string,
  { receivers, databaseUrl }: Reachable,
  keepSecret: Keep,
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
