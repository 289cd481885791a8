import { destinationOf, mainSteps, moodSteps, POLICY, type Reachable, waysToShow } from './configuration.ts';
import type { Fleet } from './fleet.ts';
import type { RunFiles } from './journal.ts';
import type { MoodyModel } from './model.ts';
import { logIn, type Operator } from './operator.ts';
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
  /** Of that pipeline, and of one more destination, where events are meant for it. */
  routing(doomed: string | null): readonly object[];
}

export interface Hook {
  readonly token: string;
  /** What a request with this body has to show. */
  headers(body: string): Record<string, string>;
}

export interface Surroundings extends Reachable {
  readonly fleet: Pick<Fleet, 'life' | 'size' | 'url'>;
  readonly files: RunFiles;
  readonly model: MoodyModel;
  /** Told of everything that must stand nowhere in the clear. */
  onSecret(name: string, secret: string): void;
}

export async function setUpOrganisation(
  name: string,
  id: string,
  surroundings: Surroundings,
): Promise<Organisation> {
  const { fleet, files, model } = surroundings;
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
  const { id: pipeline } = await make('/pipelines', {
    name: 'Orders',
    sources: [sdk.id],
    steps: mainSteps(1),
    destinations: routing(null),
  });
  await make('/pipelines', {
    name: 'Moods',
    sources: [sdk.id],
    steps: moodSteps(model.url, keep('API key of a model', `canary-model-${name}-0123456789`)),
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
    routing,
  };
}
