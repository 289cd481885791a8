import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newId } from '../../src/core/ids.ts';
import { hashSecret } from '../../src/core/secrets/vault.ts';
import { acceptedIds, ingestWith, post } from '../support/endpoints.ts';
import { type Seed, seedOrganisation, startTestService, type TestService } from '../support/service.ts';

const EVENTS = 200_000;
const BATCH = 10_000;

let service: TestService;
let seed: Seed;

beforeAll(async () => {
  service = await startTestService();
  seed = await seedOrganisation(service.engine);
  const text = 'lorem ipsum dolor sit amet '.repeat(10);
  for (let stored = 0; stored < EVENTS; stored += BATCH) {
    await service.engine.journal.append([batchOf(seed.orgId, BATCH, n => `{"n":${n},"text":"${text}"}`)]);
  }
});
afterAll(() => service.stop());

const batchOf = (orgId: string, length: number, payloadOf: (n: number) => string) => ({
  orgId,
  sourceId: null,
  receivedAt: Date.now(),
  idempotency: null,
  events: Array.from({ length }, (_, n) => ({
    id: newId('evt'),
    type: 'a',
    icon: null,
    payload: payloadOf(n),
    senderId: null,
    entityKind: null,
    entityExternalId: null,
    happenedAt: 0,
  })),
});

/** Looks through every payload for something that is in none. */
const searchEverything = (orgId: string) =>
  service.engine.journal.listEvents(
    orgId,
    { text: 'no payload holds this' },
    { limit: 50, below: null, budgetMs: 60_000 },
  );

/** Were they made to wait for a search, none would begin and end within one; a quiet machine sees hundreds. */
const SEVERAL = 3;
const MOST_SEARCHES = 30;

/** Resolves once `act` has begun and ended within one and the same search, several times. */
async function expectDuringSearch(act: () => Promise<void>, orgId = seed.orgId): Promise<void> {
  let count = 0;
  for (let searches = 0; searches < MOST_SEARCHES && count < SEVERAL; searches++) {
    let searching = true;
    const search = searchEverything(orgId).finally(() => {
      searching = false;
    });
    while (searching) {
      await act();
      if (searching) count++;
    }
    expect(await search).toEqual({ events: [], next: null, searchedTo: null });
  }
  expect(count).toBeGreaterThanOrEqual(SEVERAL);
}

test('single events are accepted, one after the other, while a search goes through 200,000 of them', async () => {
  const ingest = ingestWith(service.url, seed.apiKey);
  await ingest('{"events":[{"type":"warm"}]}');
  await expectDuringSearch(async () => {
    acceptedIds(await ingest('{"events":[{"type":"b"}]}'));
  });
});

test('so are webhooks, and senders whose key must first be looked up', async () => {
  const source = await seed.source('none');
  await expectDuringSearch(async () => {
    // Making a source invalidates what the endpoints have cached of senders.
    await seed.source('none');
    expect((await post(`${service.url}/whk/${source.token}`, '{}')).status).toBe(202);
    acceptedIds(await ingestWith(service.url, seed.apiKey)('{"events":[{"type":"c"}]}'));
  });
});

test('a batch of 1,000 is accepted meanwhile too, and the list of the newest is at hand', async () => {
  const events = Array.from({ length: 1_000 }, (_, n) => ({ type: 'd', payload: { n } }));
  await expectDuringSearch(async () => {
    const ids = acceptedIds(await ingestWith(service.url, seed.apiKey)({ events }));
    const page = await service.engine.journal.listEvents(
      seed.orgId,
      {},
      { limit: 10, below: null, budgetMs: 1_000 },
    );
    expect(page.events[0]?.id).toBe(ids.at(-1) ?? '');
  });
});

test('payloads of a megabyte make smaller slices, not longer waits', async () => {
  const large = await seedOrganisation(service.engine);
  const payload = JSON.stringify({ s: 'x'.repeat(1_000_000) });
  for (let n = 0; n < 200; n += 20) {
    await service.engine.journal.append([batchOf(large.orgId, 20, () => payload)]);
  }
  // What the endpoints ask when they do not know a sender yet.
  await expectDuringSearch(async () => {
    expect(await service.engine.configuration.findApiKeyByHash(hashSecret('unknown'))).toBeNull();
  }, large.orgId);
});
