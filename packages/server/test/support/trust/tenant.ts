import { expect } from 'bun:test';
import { randomUUID } from 'node:crypto';
import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { newSecret } from '../../../src/core/secrets/vault.ts';
import { type Browser, dataOf, join, listOf, logIn } from '../dashboard.ts';
import { acceptedIds, ingestWith, post } from '../endpoints.ts';
import { until } from '../until.ts';
import { newWord, parametersFor, type Things } from './things.ts';

/** An organisation that has at least two of everything, so that each of its lists goes on to a second page. */
export interface Tenant {
  readonly owner: Browser;
  readonly apiKey: string;
  readonly orgId: string;
  readonly things: Things;
}

/** Nobody listens there: what is sent to it is dead at once. */
const NOWHERE = 'http://127.0.0.1:9';

export async function fillOrganisation(url: string, owner: Browser): Promise<Tenant> {
  const word = newWord();
  const make = async (path: string, body: object): Promise<Record<'id' | 'secret' | 'token', string>> =>
    dataOf(await owner.post(path, body));
  const { user, organisation } = dataOf<WhoAmI>(await owner.get('/session'));

  await make('/keys', { name: `${word} spare` });
  const key = await make('/keys', { name: `${word} key` });
  const hook = await make('/sources', {
    kind: 'webhook',
    name: `${word} hook`,
    auth: 'bearer',
    rate: { per_second: 0 },
  });
  const source = await make('/sources', { kind: 'sdk', name: `${word} source`, match: `${word}.*` });
  const destination = await make('/destinations', {
    kind: 'webhook',
    name: `${word} destination`,
    config: { url: `${NOWHERE}/${word}`, auth: { mode: 'hmac' } },
    policy: { attempts: 1, schedule_s: [0] },
  });
  const inbox = await make('/destinations', { kind: 'inbox', name: `${word} inbox` });
  const listener = await make('/destinations', { kind: 'listener', name: `${word} listener` });
  const agreed = newSecret('agreed');
  const handshake = await make('/sources', {
    kind: 'webhook',
    name: `${word} handshake`,
    auth: 'provider',
    provider: 'meta',
    secret: newSecret('meta'),
    verify_token: agreed,
  });
  const definition = {
    name: `${word} pipeline`,
    sources: [source.id],
    destinations: [{ id: destination.id }, { id: inbox.id }],
  };
  const pipeline = await make('/pipelines', definition);
  await owner.patch(`/pipelines/${pipeline.id}`, {
    steps: [{ kind: 'filter.match', config: { condition: `payload.word == "${word}"` } }],
  });
  await make('/pipelines', { ...definition, name: `${word} spare`, enabled: false });

  const testEvent = await make('/test-events', {
    name: `${word} test`,
    event: { type: `${word}.test`, payload: { word } },
  });

  await makeEntities(url, key.secret, word);
  const parameters = parametersFor(word, hook.token);
  const eventType = `${word}.happened`;
  const events = [1, 2].map(n => ({
    type: eventType,
    id: `${word}-${n}`,
    payload: { word },
    entity: { kind: parameters.kind, external_id: parameters.external_id },
  }));
  const idempotencyKey = `${word}-key`;
  const send = ingestWith(url, key.secret);
  const [event = ''] = acceptedIds(await send({ events }, { 'X-Ingest-Idempotency-Key': idempotencyKey }));
  for (let n = 0; n < 2; n++) expect((await post(`${url}/whk/${hook.token}`, '{}')).status).toBe(401);
  await until(
    async () => listOf(await owner.get(`/sources/${hook.id}/rejections`)).data.length === 2,
    'What the source refused is not on record.',
  );
  const dead = await rowsOnceThere(owner, `/deliveries?destination=${destination.id}&state=dead`, 2);
  // A replay takes the dead letter's place, so each event is replayed into the inbox alone.
  await owner.patch(`/pipelines/${pipeline.id}`, { destinations: [{ id: inbox.id }] });
  await make(`/events/${event}/replay`, {});
  await rowsOnceThere(owner, '/jobs', 1);
  const other = await make(`/events/${event}/replay`, {});
  const jobs = await rowsOnceThere(owner, '/jobs', 2);
  await until(
    async () =>
      listOf<{ state: string }>(await owner.get('/jobs')).data.every(({ state }) => state === 'done'),
    'A replay does not end.',
  );
  expect(jobs.map(({ id }) => id)).toContain(other.id);
  for (const state of ['pending', 'delivering', 'retrying']) {
    await until(
      async () => listOf(await owner.get(`/deliveries?state=${state}`)).data.length === 0,
      `A delivery is still ${state}.`,
    );
  }

  const file = await make('/exports', { format: 'ndjson' });
  await until(
    async () => dataOf<JobRecord>(await owner.get(`/jobs/${file.id}`)).file !== undefined,
    'An export does not end.',
  );

  const saved = { filters: { type: eventType }, columns: ['type'] };
  await make('/views', { ...saved, name: `${word} own` });
  const view = await make('/views', { ...saved, name: `${word} view`, shared: true });

  const member = await join(url, owner, `${word}@example.com`, 'member');
  const invited = dataOf<{ id: string; invite_code: string }>(
    await owner.post('/members', { email: `${word}-guest@example.com`, role: 'viewer' }),
  );
  await make('/organisations', { name: `${word} second` });
  await logIn(url, user.email);
  const sessions = listOf<{ id: string; current: boolean }>(await owner.get('/account/sessions')).data;
  const [audit] = listOf<{ id: string }>(await owner.get('/audit')).data;
  return {
    owner,
    apiKey: key.secret,
    orgId: organisation.id,
    things: {
      paths: {
        '/account/sessions': sessions.find(({ current }) => !current)?.id ?? '',
        '/invitations': invited.invite_code,
        '/members': dataOf<WhoAmI>(await member.get('/session')).user.id,
        '/organisations': organisation.id,
        '/whereabouts': event,
        '/keys': key.id,
        '/sources': hook.id,
        '/pipelines': pipeline.id,
        '/destinations': destination.id,
        '/test-events': testEvent.id,
        '/events': event,
        '/jobs': file.id,
        '/views': view.id,
        '/deliveries': dead[0]?.id ?? '',
        '/entities': `${parameters.kind}/${parameters.external_id}`,
        '/audit': audit?.id ?? '',
      },
      parameters,
      slug: organisation.slug,
      word,
      // It is connected to where a test does so.
      held: { listener: listener.secret, connection: randomUUID(), handshake: handshake.token, agreed },
      invitation: invited.id,
      eventType,
      senderId: `${word}-1`,
      idempotencyKey,
    },
  };
}

async function rowsOnceThere(owner: Browser, path: string, count: number): Promise<{ id: string }[]> {
  await until(
    async () => listOf(await owner.get(path)).data.length >= count,
    `${path} does not come to have ${count} rows.`,
  );
  return listOf<{ id: string }>(await owner.get(path)).data;
}

async function makeEntities(url: string, apiKey: string, word: string): Promise<void> {
  const send = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/v1/entities${path}`, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    expect(answer.status).toBeLessThan(300);
  };
  const { kind, external_id, relation, to_kind, to_external_id } = parametersFor(word, '');
  await send('POST', '', {
    entities: [
      { kind, external_id, traits: { word } },
      { kind: to_kind, external_id: to_external_id, traits: { word } },
      { kind, external_id: `${word}-twin`, traits: { word } },
    ],
  });
  await send('PUT', `/${kind}/${external_id}/links/${relation}/${to_kind}/${to_external_id}`);
  await send('PUT', `/${kind}/${external_id}/links/same_as/${kind}/${word}-twin`);
}
