import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createVault } from '../../src/core/secrets/vault.ts';
import { findDestinationKind } from '../../src/delivery/destinations/registry.ts';
import { openConfig } from '../../src/delivery/sealed-config.ts';
import { type OldInstallation, oldInstallations, PASSWORD } from '../support/first-edition.ts';
import { expectDeliveriesOfOld, expectEventsOfOld } from '../support/first-edition-rows.ts';
import {
  type Attempt,
  ask,
  type Delivery,
  type Event,
  hmac,
  isSignedWith,
  logIn,
  type Named,
  type Person,
  tally,
} from '../support/from-outside.ts';
import { until } from '../support/until.ts';

/**
 * What the first edition wrote must open for ever: a data directory and a database of version 0.1.0, both of a server
 * that was killed in the midst of its work. `test/fixtures/first-edition/README.md` says what is in them.
 */

// Nobody listens any more where the destinations and the model were. What was open ends as it must without them.
const EVENT_STATES = { processed: 70, dropped: 13, failed: 6, unrouted: 6 };
const DELIVERY_STATES = {
  'Warehouse delivered': 34,
  'Inbox delivered': 43,
  'Analytics dead': 13,
  'Analytics cancelled': 1,
  'Partner retrying': 4,
  'Archive held': 14,
  'Flaky dead': 1,
  'Former cancelled': 8,
};
const SET = { set: true };
/** Where each destination has its secret, and what the first edition was given there: null where it made one itself. */
const SECRETS = {
  Warehouse: [(secret: unknown) => ({ auth: { mode: 'hmac', secret } }), null],
  Analytics: [(secret: unknown) => ({ auth: { mode: 'bearer', secret } }), 'token-of-the-fixture'],
  'By slack': [(url: unknown) => ({ url }), 'http://127.0.0.1:917/slack'],
  'By discord': [(url: unknown) => ({ url }), 'http://127.0.0.1:917/discord'],
  'By telegram': [(bot_token: unknown) => ({ bot_token }), '123456:ABC-DEF'],
  'By notion': [(token: unknown) => ({ token }), 'ntn_0123'],
  'By email': [(password: unknown) => ({ password }), 'password-of-the-fixture'],
} as const;

const stateOf = ({ state }: { readonly state: string }) => state;

describe.each(Object.entries(oldInstallations))('what the first edition left in %s', (_, open) => {
  let old: OldInstallation;
  let owner: Person;
  const enter = (name: string) => logIn(old.url, `${name}@example.com`, PASSWORD);

  beforeAll(async () => {
    old = await open();
    owner = await enter('owner');
    await until(isAtRest, 'What was open does not come to its end.');
  });
  afterAll(() => old?.close());

  /** In the order of an event's way: what one stage is through with, the next one has. */
  async function isAtRest(): Promise<boolean> {
    const accepted = await owner.list('/events?state=accepted');
    const jobs = await owner.list<{ finished_at: string | null }>('/jobs');
    const { length: open } = Object.keys(await deliveryStates()).filter(name =>
      / (pending|delivering)|Analytics retrying/.test(name),
    );
    return accepted.length + open === 0 && jobs.every(({ finished_at }) => finished_at !== null);
  }

  const deliveryStates = async () =>
    tally(await owner.list<Delivery>('/deliveries'), row => `${row.destination.name} ${row.state}`);
  const named = async (list: string, name: string) => {
    const found = (await owner.list<Named>(list)).find(row => row.name === name);
    if (found === undefined) throw new Error(`There is no ${name} in ${list}.`);
    return found;
  };
  /** As it is opened to be sent: that somebody refuses the connection would be so with a wrong secret too. */
  const openedConfig = async (id: string) => {
    const [row] = await old.stored<{ orgId: string; kind: string; config: string }>(
      `SELECT org_id AS "orgId", kind, config FROM destinations WHERE id = '${id}'`,
    );
    const kind = findDestinationKind(row?.kind ?? '');
    if (row === undefined || kind === undefined) throw new Error(`${id} is not stored.`);
    return openConfig(createVault(old.secretKey), kind, { ...row, id });
  };
  /** Without what the service says of itself by now, such as that a job of then is done. */
  const sentTo = async (person: Person) =>
    (await person.list<Event & { type: string }>('/events')).filter(
      ({ type }) => !type.startsWith('sluice.'),
    );
  const findEvent = async (text: string) => {
    const [found] = await owner.list<Event>(`/events?text=${encodeURIComponent(text)}`);
    return owner.read<Event>(`/events/${found?.id}`);
  };
  const settled = async (id: string | undefined) => {
    const read = () => owner.read<Event>(`/events/${id}`);
    await until(async () => (await read()).state !== 'accepted', `${id} is still accepted.`);
    return read();
  };
  const get = <T>(path: string, key = old.known.api_key) =>
    ask<T>(`${old.url}/v1${path}`, { headers: { Authorization: `Bearer ${key}` } });
  const ingest = async (body: string, headers: Record<string, string> = {}) => {
    const { data } = await ask<{ events: { id: string; duplicate: boolean }[] }>(`${old.url}/v1/ingest`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${old.known.api_key}`,
        'Content-Type': 'application/json',
        ...headers,
      },
      body,
    });
    return data.events[0];
  };
  const hook = (token: string, body: string, headers: Record<string, string> = {}) =>
    ask<{ id: string; duplicate: boolean }>(`${old.url}/whk/${token}`, { method: 'POST', headers, body });

  test('is whole, and what was open is worked off', async () => {
    expect(tally(await sentTo(owner), stateOf)).toEqual(EVENT_STATES);
    expect(await deliveryStates()).toEqual(DELIVERY_STATES);
    const jobs = await owner.list<Record<string, unknown>>('/jobs');
    expect(jobs.map(({ kind, state, done, total }) => `${kind} ${state} ${done}/${total}`)).toEqual([
      'replay done 1/1',
      'dead_letters.retry done 10/10',
      'replay done 8/8',
    ]);
    expect((await owner.read<Event>(`/events/${old.known.first_form}`)).runs).toHaveLength(4);
    const audit = tally(await owner.list<{ action: string }>('/audit'), ({ action }) => action);
    expect(audit).toMatchObject({ 'pipeline.changed': 4, 'key.revoked': 1, 'entity.deleted': 1 });
    expect(audit).toMatchObject({ 'destination.created': 12, 'member.joined': 3, 'event.replayed': 1 });
  });

  test('has every event and delivery as it was, row by row', async () => {
    const readers = { Acme: owner, Borealis: await enter('bea') };
    await expectEventsOfOld(old.left, readers);
    await expectDeliveriesOfOld(old.left, readers);
  });

  test('has a source of system events in every organisation', async () => {
    for (const person of [owner, await enter('bea')]) {
      const sources = await person.list<{ kind: string; name: string }>('/sources');
      const system = sources.filter(({ kind }) => kind === 'system');
      expect(system).toMatchObject([{ name: 'System', enabled: true }]);
    }
  });

  test('lets its people in, each with their role, and nobody into another organisation', async () => {
    const roles = { owner: 'owner', admin: 'admin', member: 'member', viewer: 'viewer', bea: 'admin' };
    for (const [name, role] of Object.entries(roles)) {
      expect(await (await enter(name)).read<object>('/session')).toMatchObject({ role });
    }
    const members = await owner.list<{ status: string }>('/members');
    expect(tally(members, ({ status }) => status)).toEqual({ active: 4, invited: 1 });
    const invitation = await owner.read<object>(`/invitations/${old.known.invitation}`);
    expect(invitation).toMatchObject({ email: 'invited@example.com', organisation: { name: 'Acme' } });
    const organisations = await owner.list<Named>('/organisations');
    expect(organisations.map(({ name }) => name).sort()).toEqual(['Acme', 'Borealis']);
    const bea = await enter('bea');
    expect(tally(await sentTo(bea), stateOf)).toEqual({ processed: 10 });
    expect((await bea.send('GET', `/events/${old.known.first_order}`)).status).toBe(404);
    expect((await get<object>('/entities/customer/c_0', old.known.other_key)).text).toContain(
      'Somebody else',
    );
  });

  test('shows of each event what it was, what its pipeline made of it and where that went', async () => {
    const { text } = await owner.send('GET', `/events/${old.known.first_order}`);
    expect(text).toContain('"payload":{"id":"o_1","total":18,"serial":9007199254740993,"note":"Write to ');
    expect(text).toContain('"name":"Orders","version":1}');
    const { runs, deliveries } = await findEvent('o_18');
    const steps = runs[0]?.steps ?? [];
    const kinds = ['dedupe', 'filter.match', 'enrich.entity', 'redact.pii', 'transform'];
    expect(steps.map(({ kind }) => kind)).toEqual(kinds);
    expect(steps.at(-1)?.after).toMatchObject({
      payload: { remark: 'Write to [email] or call [phone]', shop: 'Orders', customer: { name: 'Ada Park' } },
    });
    const sent = deliveries.find(({ destination }) => destination.name === 'Warehouse')?.attempts[0];
    expect(sent).toMatchObject({ status: 200, response: 'ok' });
    // Its worker was killed while the model was asked. The model's key had to be opened to ask again.
    expect((await findEvent('nobody knows')).runs[0]?.steps[0]?.note).toContain('neutral, the default');
  });

  test('still has its dead letters, with every attempt', async () => {
    expect(await owner.read<object>('/dead-letters/summary')).toMatchObject({ deliveries: 14, events: 5 });
    const flaky = await named('/destinations', 'Flaky');
    expect(flaky).toMatchObject({ breaker: { state: 'open' } });
    const [dead] = await owner.list<Delivery>(`/deliveries?destination=${flaky.id}`);
    expect(tally(dead?.attempts ?? [], ({ status }) => `${status}`)).toEqual({ 500: 50 });
    const failed = await findEvent('o_801');
    expect(failed.runs[0]?.reason).toBe('customer holds something else than an object');
  });

  test('knows its entities, their traits and links, and nothing of the erased one', async () => {
    const ada = await get('/entities/customer/c_0');
    expect(ada.data).toMatchObject({ version: 2, traits: { name: 'Ada Park', address: { city: 'Köln' } } });
    const identity = await get<{ members: object[] }>('/entities/customer/c_0/identity');
    expect(identity.data.members).toHaveLength(2);
    expect(identity.text).toContain('"plan":"pro","serial":9007199254740993,"vip":true}');
    const links = await get<{ relation: string }[]>('/entities/customer/c_0/links');
    expect(links.data.map(({ relation }) => relation).sort()).toEqual(['member_of', 'same_as']);
    const pro = await get<{ external_id: string }[]>('/entities?kind=customer&trait.plan=pro');
    expect(pro.data.map(({ external_id }) => external_id).sort()).toEqual(['c_0', 'c_2', 'c_4']);
    expect((await get('/entities/customer/c_9')).status).toBe(404);
    const erased = await get<Event[]>('/entities/customer/c_9/events');
    expect(erased.data.map(({ payload }) => payload)).toEqual([null, null]);
  });

  test('shows its pipelines and destinations without their secrets, and can open those', async () => {
    const pipelines = await owner.list<Named>('/pipelines');
    const inShort = ({ name, version, enabled }: Named) => `${name} ${version}${enabled ? '' : ' off'}`;
    expect(pipelines.map(inShort).sort().join(', ')).toBe(
      'Alerts 1, Forms 1, Old exports 2 off, Orders to fulfilment 3, Payments 1, Reviews 2, Tickets 1',
    );
    const orders = await named('/pipelines', 'Orders to fulfilment');
    const versions = await owner.list<Named>(`/pipelines/${orders.id}/versions`);
    expect(versions.map(({ name, steps }) => `${name}: ${steps.length} steps`)).toEqual([
      'Orders to fulfilment: 5 steps',
      'Orders: 5 steps',
      'Orders: 1 steps',
    ]);
    const [classify] = (await named('/pipelines', 'Reviews')).steps;
    expect(classify?.config).toMatchObject({ model: { name: 'mood-1', api_key: SET } });
    for (const [name, [configWith, given]] of Object.entries(SECRETS)) {
      const destination = await named('/destinations', name);
      expect(destination.config).toMatchObject(configWith(SET));
      expect(await openedConfig(destination.id)).toMatchObject(
        configWith(given ?? old.known.warehouse_secret),
      );
      const { data } = await owner.send<Attempt>('POST', `/destinations/${destination.id}/test`);
      expect(data).toMatchObject({ outcome: 'failed', code: 'connection_refused' });
      if (name !== 'Warehouse') continue;
      const { headers, body } = data.request;
      expect(isSignedWith(old.known.warehouse_secret, headers['x-service-signature'], body)).toBe(true);
    }
  });

  test('takes events by its keys and secrets, and knows again what it was sent before', async () => {
    const { known } = old;
    const repeated = await ingest('{"events":[{"id":"order-1","type":"order.paid"}]}');
    expect(repeated).toEqual({ id: known.first_order, duplicate: true });
    const note = '{"events":[{"type":"misc.note","payload":{"text":"kept once"}}]}';
    const kept = await ingest(note, { 'X-Ingest-Idempotency-Key': 'nightly-1' });
    expect(kept).toEqual({ id: known.idempotent, duplicate: true });
    const signed = { 'X-Ingest-Signature': hmac(known.hmac_secret, '{}') };
    const paid = await hook(known.hmac_token, '{}', { ...signed, 'X-Ingest-Idempotency-Key': 'delivery-1' });
    expect(paid.data).toEqual({ id: known.first_payment, duplicate: true });
    const alert = '{"type":"alert.raised","host":"db-1","alert":"disk"}';
    const raised = await hook(known.bearer_token, alert, { Authorization: `Bearer ${known.bearer_secret}` });
    expect((await settled(raised.data.id)).state).toBe('dropped');
    expect((await get('/entities', known.revoked_key)).status).toBe(401);
    expect((await hook(known.hmac_token, '{}')).status).toBe(401);
    const { id } = await named('/sources', 'Payments');
    await until(
      async () => (await owner.list(`/sources/${id}/rejections`)).length === 3,
      'The refusals of then and now are not all there.',
    );
  });

  test('goes on: what is new takes the old ways, and what was held goes out', async () => {
    const order = (payload: object) =>
      JSON.stringify({
        events: [{ type: 'order.paid', entity: { kind: 'customer', external_id: 'c_2' }, payload }],
      });
    const repeated = await settled((await ingest(order({ id: 'o_1', total: 150 })))?.id);
    expect(repeated.runs[0]?.steps[0]?.note).toContain(`seen before, in ${old.known.first_order}`);
    const { deliveries } = await settled((await ingest(order({ id: 'new', total: 150 })))?.id);
    const id = deliveries.find(({ destination }) => destination.name === 'Inbox')?.id;
    const arrived = () => owner.read<Delivery>(`/deliveries/${id}`);
    await until(async () => (await arrived()).state === 'delivered', 'Nothing came into the inbox.');
    expect((await arrived()).attempts[0]?.request.body).toContain('"customer":{"name":"Ines Duarte"');

    const received: string[] = [];
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async request => new Response(`${received.push(await request.text())}`),
    });
    const archive = await named('/destinations', 'Archive');
    const config = { url: `http://127.0.0.1:${receiver.port}/`, auth: { mode: 'none' } };
    expect((await owner.send('PATCH', `/destinations/${archive.id}`, { config })).status).toBe(200);
    await owner.send('POST', `/destinations/${archive.id}/resume`);
    await until(async () => (await deliveryStates())['Archive delivered'] === 14, 'Some are still held.');
    await receiver.stop(true);
    expect(received.filter(body => body.startsWith('{"type":"payment.captured"'))).toHaveLength(14);
  });
});
