import { expect, test } from 'bun:test';
import type { AppendResult } from '../../../src/core/stores/journal.ts';
import type { EveryStore } from '../../support/every-store.ts';
import { settleAll } from './pipeline-samples.ts';
import { aClaim, anEvent, aRequest, fresh, idAt, NOW, repeated } from './samples.ts';
import type { Subject } from './suite.ts';

export function appendContract(subject: Subject): void {
  const orgId = () => idAt('org', NOW);

  test('stores every field of an event as it was given', async () => {
    const org = orgId();
    const event = anEvent({
      type: 'Bestellung „groß“',
      icon: '🧾',
      payload: '{"a":"\\u00e4 \\" \\\\ \\n","n":12345678901234567890,"ünï":{"x":[null,true]}}',
      senderId: 'o\'Brien {1,2} \\ "x"',
      entityKind: 'customer',
      entityExternalId: '../ü %_',
      happenedAt: NOW - 5,
      headers: '{"x-kind":"ü „“"}',
    });
    await subject.storage.append([aRequest(org, [event], { receivedAt: NOW + 5 })]);
    expect(await subject.storage.findEvent(org, event.id)).toEqual({
      id: event.id,
      type: event.type,
      icon: event.icon,
      state: 'accepted',
      outcome: 'accepted',
      deliveryStates: {},
      payload: event.payload,
      erasedAt: null,
      senderId: event.senderId,
      entity: { kind: 'customer', externalId: '../ü %_' },
      sources: [],
      happenedAt: NOW - 5,
      receivedAt: NOW + 5,
      headers: '{"x-kind":"ü „“"}',
    });
  });

  test('answers each request in order, with its events in order', async () => {
    const org = orgId();
    const requests = Array.from({ length: 20 }, (_, n) =>
      aRequest(
        org,
        Array.from({ length: n % 4 === 0 ? 30 : 1 }, () =>
          anEvent(n % 3 === 0 ? { senderId: idAt('evt', NOW) } : {}),
        ),
        { idempotency: n % 2 === 0 ? aClaim(org) : null },
      ),
    );
    expect(await subject.storage.append(requests)).toEqual(
      requests.map(({ events }) => fresh(...events.map(({ id }) => id))),
    );
    expect(await storedIds(subject.storage, org)).toEqual(
      requests
        .flatMap(({ events }) => events.map(({ id }) => id))
        .sort()
        .reverse()
        .slice(0, 100),
    );
  });

  test('appends nothing at all without complaint', async () => {
    expect(await subject.storage.append([])).toEqual([]);
  });

  test('answers a repeated key with the first ids', async () => {
    const org = orgId();
    const idempotency = aClaim(org);
    const first = aRequest(org, [anEvent(), anEvent()], { idempotency });
    const ids = first.events.map(({ id }) => id);
    expect(await subject.storage.append([first])).toEqual([fresh(...ids)]);
    expect(await subject.storage.append([aRequest(org, [anEvent(), anEvent()], { idempotency })])).toEqual([
      repeated(...ids),
    ]);
    expect(await storedIds(subject.storage, org)).toEqual(ids.toReversed());
  });

  test('finds what came under a key until the key expires, in its own scope only', async () => {
    const org = orgId();
    const idempotency = aClaim(org);
    const { scope, key, expiresAt } = idempotency;
    const request = aRequest(org, [anEvent(), anEvent()], { idempotency });
    await subject.storage.append([request]);
    const find = subject.storage.findEventsOfKey;
    expect(await find(scope, key, expiresAt - 1)).toEqual(request.events.map(({ id }) => id));
    expect(await find(scope, key, expiresAt)).toBeNull();
    expect(await find(orgId(), key, NOW)).toBeNull();
    expect(await find(scope, `${key}x`, NOW)).toBeNull();
  });

  test('answers a key that comes twice in one batch with the first ids', async () => {
    const org = orgId();
    const idempotency = aClaim(org);
    const first = anEvent();
    const request = aRequest(org, [first], { idempotency });
    expect(
      await subject.storage.append([request, aRequest(org, [anEvent()], { idempotency }), request]),
    ).toEqual([fresh(first.id), repeated(first.id), repeated(first.id)]);
    expect(await storedIds(subject.storage, org)).toEqual([first.id]);
  });

  test('refuses a key with another body, in a later batch and in the same one', async () => {
    const org = orgId();
    const idempotency = aClaim(org);
    const other = { ...idempotency, bodyHash: 'hash of another body' };
    const first = anEvent();
    expect(
      await subject.storage.append([
        aRequest(org, [first], { idempotency }),
        aRequest(org, [anEvent()], { idempotency: other }),
      ]),
    ).toEqual([fresh(first.id), { kind: 'conflict' }]);
    expect(await subject.storage.append([aRequest(org, [anEvent()], { idempotency: other })])).toEqual([
      { kind: 'conflict' },
    ]);
    expect(await storedIds(subject.storage, org)).toEqual([first.id]);
  });

  test('lets any body repeat a key whose body was not hashed', async () => {
    const org = orgId();
    const idempotency = aClaim(idAt('src', NOW), { bodyHash: null });
    const first = anEvent();
    await subject.storage.append([aRequest(org, [first], { idempotency })]);
    expect(
      await subject.storage.append([aRequest(org, [anEvent({ payload: '{"b":1}' })], { idempotency })]),
    ).toEqual([repeated(first.id)]);
  });

  test('keeps the same key of another scope apart', async () => {
    const org = orgId();
    const [one, other] = [anEvent(), anEvent()];
    const idempotency = aClaim(org);
    expect(
      await subject.storage.append([
        aRequest(org, [one], { idempotency }),
        aRequest(org, [other], { idempotency: { ...idempotency, scope: idAt('src', NOW) } }),
      ]),
    ).toEqual([fresh(one.id), fresh(other.id)]);
  });

  test('ignores a key from the moment it expires, also where it was not pruned yet', async () => {
    const org = orgId();
    const idempotency = aClaim(org, { expiresAt: NOW + 1_000 });
    const [first, late, last] = [anEvent(), anEvent(), anEvent()];
    const at = (event: typeof first, receivedAt: number, expiresAt: number) =>
      subject.storage.append([
        aRequest(org, [event], { receivedAt, idempotency: { ...idempotency, expiresAt } }),
      ]);
    await at(first, NOW, NOW + 1_000);
    expect(await at(anEvent(), NOW + 999, NOW + 1_999)).toEqual([repeated(first.id)]);
    expect(await at(late, NOW + 1_000, NOW + 2_000)).toEqual([fresh(late.id)]);
    // The later use counts from then on, with its own expiry.
    expect(await at(anEvent(), NOW + 1_999, NOW + 3_000)).toEqual([repeated(late.id)]);
    expect(await at(last, NOW + 2_000, NOW + 3_000)).toEqual([fresh(last.id)]);
  });

  test("takes a sender's id that was seen before for the event it was", async () => {
    const org = orgId();
    const first = anEvent({ senderId: 'order 1' });
    const other = anEvent();
    await subject.storage.append([aRequest(org, [first])]);
    expect(
      await subject.storage.append([
        aRequest(org, [anEvent({ senderId: 'order 1', payload: '{"other":true}' }), other]),
      ]),
    ).toEqual([
      {
        kind: 'stored',
        events: [
          { id: first.id, duplicate: true },
          { id: other.id, duplicate: false },
        ],
      },
    ]);
    expect((await subject.storage.findEvent(org, first.id))?.payload).toBe(first.payload);
    expect(await storedIds(subject.storage, org)).toEqual([other.id, first.id]);
  });

  test("makes one event of a sender's id that comes twice in one request or one batch", async () => {
    const org = orgId();
    const first = anEvent({ senderId: 'order 1' });
    const again = () => anEvent({ senderId: 'order 1' });
    expect(await subject.storage.append([aRequest(org, [first, again()]), aRequest(org, [again()])])).toEqual(
      [
        {
          kind: 'stored',
          events: [
            { id: first.id, duplicate: false },
            { id: first.id, duplicate: true },
          ],
        },
        repeated(first.id),
      ],
    );
  });

  test("lets two organisations use the same sender's id", async () => {
    const [one, other] = [anEvent({ senderId: 'order 1' }), anEvent({ senderId: 'order 1' })];
    expect(await subject.storage.append([aRequest(orgId(), [one]), aRequest(orgId(), [other])])).toEqual([
      fresh(one.id),
      fresh(other.id),
    ]);
  });

  test("keeps under a key the ids that were answered, also those of a repeated sender's id", async () => {
    const org = orgId();
    const idempotency = aClaim(org);
    const known = anEvent({ senderId: 'order 1' });
    const added = anEvent();
    await subject.storage.append([aRequest(org, [known])]);
    await subject.storage.append([aRequest(org, [added, anEvent({ senderId: 'order 1' })], { idempotency })]);
    expect(await subject.storage.append([aRequest(org, [anEvent(), anEvent()], { idempotency })])).toEqual([
      repeated(added.id, known.id),
    ]);
  });

  test("spends no sender's id on a request that its key refuses", async () => {
    const org = orgId();
    const idempotency = aClaim(org);
    await subject.storage.append([aRequest(org, [anEvent()], { idempotency })]);
    const refused = anEvent({ senderId: 'order 1' });
    const wanted = anEvent({ senderId: 'order 1' });
    expect(
      await subject.storage.append([
        aRequest(org, [refused], { idempotency: { ...idempotency, bodyHash: 'another' } }),
        aRequest(org, [wanted]),
      ]),
    ).toEqual([{ kind: 'conflict' }, fresh(wanted.id)]);
  });

  test('stores nothing of a batch when one of its requests cannot be stored', async () => {
    const org = orgId();
    const taken = anEvent();
    await subject.storage.append([aRequest(org, [taken])]);
    for (const given of [{}, { idempotency: aClaim(org) }]) {
      const good = aRequest(org, [anEvent(), anEvent({ senderId: idAt('evt', NOW) })], given);
      const bad = aRequest(org, [anEvent(), anEvent({ id: taken.id })]);
      const failure = await subject.storage.append([good, bad]).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Error);
      expect((failure as { code?: unknown }).code).not.toBe('storage_unavailable');
      expect(await storedIds(subject.storage, org)).toEqual([taken.id]);
      // Nor was its key spent.
      expect(await subject.storage.append([good])).toEqual([fresh(...good.events.map(({ id }) => id))]);
      await removeAll(subject.storage, org);
      await subject.storage.append([aRequest(org, [taken])]);
    }
  });

  test('makes one event of many racing requests with one key', async () => {
    const org = orgId();
    const idempotency = aClaim(org);
    const results = await subject.atOnce(50, async storage => {
      const [result] = await storage.append([aRequest(org, [anEvent()], { idempotency })]);
      return result;
    });
    expectOneMade(results);
    expect(await storedIds(subject.storage, org)).toHaveLength(1);
  });

  test("makes one event of many racing requests with one sender's id", async () => {
    const org = orgId();
    const results = await subject.atOnce(50, async storage => {
      const [result] = await storage.append([aRequest(org, [anEvent({ senderId: 'order 1' })])]);
      return result;
    });
    expectOneMade(results);
    expect(await storedIds(subject.storage, org)).toHaveLength(1);
  });

  test('lets racing batches share many keys and ids in any order', async () => {
    const org = orgId();
    const names = Array.from({ length: 30 }, (_, n) => n);
    const claims = names.map(() => aClaim(org));
    const batches = await subject.atOnce(16, async (storage, n) => {
      const order = n % 2 === 0 ? names : names.toReversed();
      const results = await storage.append(
        order.map(name =>
          aRequest(org, [anEvent({ senderId: `order ${name}` })], { idempotency: claims[name] ?? null }),
        ),
      );
      return n % 2 === 0 ? results : results.toReversed();
    });
    for (const name of names) expectOneMade(batches.map(results => results[name]));
    expect(await storedIds(subject.storage, org)).toHaveLength(names.length);
  });

  test('stores a batch of a thousand events and one of a megabyte', async () => {
    const org = orgId();
    const many = aRequest(
      org,
      Array.from({ length: 1_000 }, () => anEvent({ payload: '{"ü":"„“"}' })),
    );
    const large = anEvent({ payload: JSON.stringify({ text: 'ö"\\'.repeat(200_000) }) });
    await subject.storage.append([many, aRequest(org, [large])]);
    expect((await subject.storage.findEvent(org, large.id))?.payload).toBe(large.payload);
    expect(await removeAll(subject.storage, org)).toBe(1_001);
  });
}

/** All answer one id, and exactly one of them says that it is new. */
function expectOneMade(results: readonly (AppendResult | undefined)[]): void {
  const events = results.flatMap(result => (result?.kind === 'stored' ? result.events : []));
  expect(events).toHaveLength(results.length);
  expect(new Set(events.map(({ id }) => id)).size).toBe(1);
  expect(events.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
}

/** Answers how many there were. */
async function removeAll(storage: EveryStore, orgId: string): Promise<number> {
  await settleAll(storage, orgId);
  const cutoffs = { before: NOW + 1, deadBefore: NOW + 1 };
  return (await storage.pruneEvents(orgId, cutoffs, { after: null, limit: 5_000 })).removed;
}

/** Newest first, at most a page. */
async function storedIds(storage: EveryStore, orgId: string): Promise<string[]> {
  const { events } = await storage.listEvents(orgId, {}, { limit: 100, below: null, budgetMs: 2_000 });
  return events.map(({ id }) => id);
}
