import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type EntityRecord, entityRecord } from '@sluice/contract/entity';
import { dataOf, type Listed, listOf } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { type EntityClient, entityClient, pathOf } from '../support/entities.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { seedOrganisation, startTestService, type TestService } from '../support/service.ts';

/** Everything that a program can do with entities, over HTTP, on both engines. */
for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`entities on ${engine}`, () => {
    let service: TestService;
    let dropDatabase = async () => {};
    beforeAll(async () => {
      const settings: Record<string, string> = {};
      if (engine === 'PostgreSQL') {
        const database = await migratedDatabase();
        settings.SLUICE_DATABASE_URL = database.url;
        dropDatabase = database.drop;
      }
      service = await startTestService({ settings });
    });
    afterAll(async () => {
      await service.stop();
      await dropDatabase();
    });

    /** A client of an organisation that has nothing yet. */
    async function newClient(): Promise<EntityClient> {
      return entityClient(service.url, (await seedOrganisation(service.engine)).apiKey);
    }

    const idsOf = ({ data }: Listed<EntityRecord>) => data.map(({ external_id }) => external_id);

    test('PUT makes with 201 and replaces with 200', async () => {
      const client = await newClient();
      const made = await client.put('/customer/c_1', { plan: 'free', seats: 5 });
      expect(made.status).toBe(201);
      expect(made.headers.get('etag')).toBe('"1"');
      const record = entityRecord.strict().parse(dataOf(made));
      expect(record).toMatchObject({
        kind: 'customer',
        external_id: 'c_1',
        traits: { plan: 'free', seats: 5 },
        version: 1,
      });
      expect(record.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(record.updated_at).toBe(record.created_at);
      const replaced = await client.put('/customer/c_1', { plan: 'pro', gone: null });
      expect(replaced.status).toBe(200);
      expect(dataOf(replaced)).toMatchObject({
        traits: { plan: 'pro', gone: null },
        version: 2,
        created_at: record.created_at,
      });
      const fetched = await client.get('/customer/c_1');
      expect(fetched.status).toBe(200);
      expect(fetched.body).toEqual(replaced.body);
      expect(fetched.headers.get('etag')).toBe('"2"');
    });

    test('POST makes with 201 and merges with 200', async () => {
      const client = await newClient();
      const body = { kind: 'customer', external_id: '1', traits: { a: { b: 1, c: null }, d: 1 } };
      const made = await client.post(body);
      expect([made.status, dataOf<EntityRecord>(made).traits]).toEqual([201, { a: { b: 1 }, d: 1 }]);
      const merged = await client.post({ ...body, traits: { a: { e: 2 }, d: null } });
      expect([merged.status, dataOf<EntityRecord>(merged).traits]).toEqual([200, { a: { b: 1, e: 2 } }]);
      const bare = await client.post({ kind: 'customer', external_id: '2' });
      expect([bare.status, dataOf<EntityRecord>(bare).traits]).toEqual([201, {}]);
    });

    test('POST of many answers them in order, the same one twice applied in order', async () => {
      const client = await newClient();
      const entity = (external_id: string, traits: unknown) => ({ kind: 'customer', external_id, traits });
      const answer = await client.post({
        entities: [entity('a', { n: 1 }), entity('b', {}), entity('a', { n: null, m: 2 })],
      });
      expect(answer.status).toBe(200);
      expect(
        dataOf<EntityRecord[]>(answer).map(({ external_id, version, traits }) => [
          external_id,
          version,
          traits,
        ]),
      ).toEqual([
        ['a', 1, { n: 1 }],
        ['b', 1, {}],
        ['a', 2, { m: 2 }],
      ]);
      expect(idsOf(listOf(await client.get('')))).toEqual(['a', 'b']);
    });

    test('POST of many writes all or nothing, and says which one it was', async () => {
      const client = await newClient();
      const entities = Array.from({ length: 5 }, (_, n) => ({
        kind: 'customer',
        external_id: `${n}`,
        traits: {},
      }));
      const spoilt = (n: number, given: object) =>
        entities.map((entity, i) => (i === n ? { ...entity, ...given } : entity));
      expectRefused(await client.post({ entities: spoilt(2, { kind: 'No' }) }), {
        status: 400,
        code: 'validation_failed',
        path: 'entities[2].kind',
      });
      expectRefused(await client.post({ entities: spoilt(3, { traits: { a: 'x'.repeat(65_536) } }) }), {
        status: 413,
        code: 'payload_too_large',
        path: 'entities[3].traits',
      });
      expect(listOf(await client.get('')).data).toEqual([]);
      const thousand = Array.from({ length: 1_000 }, (_, n) => ({ kind: 'customer', external_id: `${n}` }));
      expect(dataOf<unknown[]>(await client.post({ entities: thousand }))).toHaveLength(1_000);
      expectRefused(await client.post({ entities: [...thousand, entities[0]] }), {
        status: 400,
        code: 'validation_failed',
        path: 'entities',
      });
    });

    test('PATCH merges by RFC 7396 into what is there', async () => {
      const client = await newClient();
      expectRefused(await client.patch('/customer/1', { a: 1 }), { status: 404, code: 'not_found' });
      await client.put('/customer/1', { a: { b: 1, c: 2 }, list: [1, 2], gone: 1 });
      const patched = await client.patch('/customer/1', { a: { c: null, d: 3 }, list: [3], gone: null });
      expect(patched.status).toBe(200);
      expect(dataOf(patched)).toMatchObject({ traits: { a: { b: 1, d: 3 }, list: [3] }, version: 2 });
      expect(dataOf(await client.patch('/customer/1', {}))).toMatchObject({ version: 3 });
    });

    test('If-Match holds for PUT, PATCH and DELETE', async () => {
      const client = await newClient();
      const conflict = { status: 409, code: 'version_conflict' };
      expectRefused(await client.put('/customer/1', {}, { 'If-Match': '*' }), conflict);
      expectRefused(await client.put('/customer/1', {}, { 'If-Match': '1' }), conflict);
      await client.put('/customer/1', {});
      expect((await client.put('/customer/1', {}, { 'If-Match': '1' })).status).toBe(200);
      expect((await client.patch('/customer/1', {}, { 'If-Match': '"2"' })).status).toBe(200);
      expect((await client.patch('/customer/1', {}, { 'If-Match': ' * ' })).status).toBe(200);
      expectRefused(await client.patch('/customer/1', {}, { 'If-Match': '3' }), conflict);
      expectRefused(await client.delete('/customer/1', { 'If-Match': '3' }), conflict);
      expectRefused(await client.delete('/customer/1?erase_events=true', { 'If-Match': '"3"' }), conflict);
      // It is well formed, and no entity has ever been written as often.
      for (const header of ['9007199254740993', '99999999999999999999', `"${'9'.repeat(400)}"`]) {
        expectRefused(await client.put('/customer/1', {}, { 'If-Match': header }), conflict);
        expectRefused(await client.patch('/customer/1', {}, { 'If-Match': header }), conflict);
        expectRefused(await client.delete('/customer/1', { 'If-Match': header }), conflict);
      }
      const malformed = { status: 400, code: 'validation_failed', path: 'If-Match' };
      for (const header of [
        '',
        'x',
        '-1',
        '1.0',
        'W/"4"',
        '"4',
        '4"',
        '"4", "5"',
        "'4'",
        '1e1',
        '"*"',
        '\xa04\xa0',
      ]) {
        expectRefused(await client.put('/customer/1', {}, { 'If-Match': header }), malformed);
        expectRefused(await client.patch('/customer/1', {}, { 'If-Match': header }), malformed);
        expectRefused(await client.delete('/customer/1', { 'If-Match': header }), malformed);
      }
      expect(dataOf(await client.get('/customer/1'))).toMatchObject({ version: 4 });
      expect((await client.delete('/customer/1', { 'If-Match': '4' })).status).toBe(200);
    });

    test('DELETE says so, once, and the version starts again', async () => {
      const client = await newClient();
      await client.put('/customer/1', {});
      await client.put('/customer/1', {});
      const deleted = await client.delete('/customer/1');
      expect([deleted.status, deleted.body]).toEqual([200, { data: { deleted: true } }]);
      expectRefused(await client.delete('/customer/1'), { status: 404, code: 'not_found' });
      expectRefused(await client.get('/customer/1'), { status: 404, code: 'not_found' });
      const again = await client.put('/customer/1', {});
      expect([again.status, dataOf<EntityRecord>(again).version]).toEqual([201, 1]);
    });

    test('keeps every external id exactly, in paths, bodies and filters', async () => {
      const client = await newClient();
      const ids = [
        '../x',
        '%2F',
        'a/b',
        '%252F',
        '😀',
        'é',
        ' ',
        ' a ',
        'a+b',
        "o'brien",
        '"',
        '\\',
        '?#&=',
        '...',
      ];
      for (const [n, id] of ids.entries()) {
        const made =
          n % 2 === 0
            ? await client.put(pathOf('customer', id), { n })
            : await client.post({ kind: 'customer', external_id: id, traits: { n } });
        expect([made.status, dataOf<EntityRecord>(made).external_id]).toEqual([201, id]);
        expect(dataOf(await client.get(pathOf('customer', id)))).toMatchObject({
          external_id: id,
          traits: { n },
        });
        const filtered = listOf<EntityRecord>(await client.get(`?external_id=${encodeURIComponent(id)}`));
        expect(idsOf(filtered)).toEqual([id]);
      }
      expect(idsOf(listOf(await client.get('')))).toEqual(ids.toReversed());
    });

    test('keeps numbers as they were sent', async () => {
      const client = await newClient();
      const traits = '{"big":12345678901234567890123,"small":0.1,"__proto__":{"x":1}}';
      const made = await client.send('PUT', '/customer/1', { body: `{"traits":${traits}}` });
      expect(made.status).toBe(201);
      for (const path of ['/customer/1', '', '/customer/1/graph', '/customer/1/identity']) {
        expect(await client.text(path)).toContain('"big":12345678901234567890123');
      }
      expect(idsOf(listOf(await client.get('?trait.big=12345678901234567890123')))).toEqual(['1']);
    });

    test('lists by every filter, all of them together', async () => {
      const client = await newClient();
      await client.post({
        entities: [
          {
            kind: 'customer',
            external_id: '1',
            traits: { plan: 'pro', seats: 42, address: { city: 'Berlin' } },
          },
          { kind: 'customer', external_id: '2', traits: { plan: 'pro', seats: '42', tags: ['a'] } },
          { kind: 'company', external_id: '1', traits: { plan: 'pro', active: true } },
        ],
      });
      const found = async (query: string) =>
        listOf<EntityRecord>(await client.get(`?${query}`)).data.map(
          ({ kind, external_id }) => `${kind}/${external_id}`,
        );
      expect(await found('')).toEqual(['company/1', 'customer/2', 'customer/1']);
      expect(await found('kind=customer')).toEqual(['customer/2', 'customer/1']);
      expect(await found('external_id=1')).toEqual(['company/1', 'customer/1']);
      expect(await found('kind=customer&external_id=1')).toEqual(['customer/1']);
      expect(await found('trait.seats=42')).toEqual(['customer/2', 'customer/1']);
      expect(await found('trait.address.city=Berlin&kind=customer')).toEqual(['customer/1']);
      expect(await found('trait.active=true')).toEqual(['company/1']);
      expect(await found('trait.tags=a')).toEqual([]);
      expect(await found('trait.plan=pro&trait.seats=42&external_id=2')).toEqual(['customer/2']);
      const [newest] = listOf<EntityRecord>(await client.get('?limit=1')).data;
      expect(await found(`updated_after=${newest?.updated_at}`)).toEqual([]);
      expect(await found('updated_after=2020-01-01T00:00:00%2B02:00')).toHaveLength(3);
    });

    test('pages with cursors that hold while rows change', async () => {
      const client = await newClient();
      const entities = Array.from({ length: 25 }, (_, n) => ({ kind: `k${n % 2}`, external_id: `e${n}` }));
      await client.post({ entities });
      const first = listOf<EntityRecord>(await client.get('?limit=10'));
      await client.put('/k0/e0', { changed: true });
      await client.put('/k1/new', {});
      const seen = idsOf(first);
      for (let cursor = first.next_cursor; cursor !== null; ) {
        const page: Listed<EntityRecord> = listOf(await client.get(`?limit=10&cursor=${cursor}`));
        seen.push(...idsOf(page));
        cursor = page.next_cursor;
      }
      expect(seen).toEqual(
        entities
          .map(({ external_id }) => external_id)
          .slice(1)
          .toReversed(),
      );
    });

    test('loses none of many writes at once', async () => {
      const client = await newClient();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          n % 2 === 0
            ? client.post({ kind: 'customer', external_id: '1', traits: { [`n${n}`]: n } })
            : client.post({ entities: [{ kind: 'customer', external_id: '1', traits: { [`n${n}`]: n } }] }),
        ),
      );
      expect(answers.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(1);
      const { version, traits } = dataOf<EntityRecord>(await client.get('/customer/1'));
      expect(version).toBe(40);
      expect(Object.keys(traits)).toHaveLength(40);
    });

    test("shows nothing of another organisation's", async () => {
      const [ours, theirs] = [await newClient(), await newClient()];
      await ours.put('/customer/1', { plan: 'pro' });
      await ours.put('/customer/2', {});
      await ours.send('PUT', '/customer/1/links/same_as/customer/2');
      const nothing = { status: 404, code: 'not_found' };
      for (const path of ['', '/links', '/graph', '/identity', '/events', '/events?identity=true']) {
        expectRefused(await theirs.get(`/customer/1${path}`), nothing);
      }
      expectRefused(await theirs.patch('/customer/1', {}), nothing);
      expectRefused(await theirs.delete('/customer/1'), nothing);
      expectRefused(await theirs.delete('/customer/1?erase_events=true'), nothing);
      expectRefused(await theirs.send('DELETE', '/customer/1/links/same_as/customer/2'), nothing);
      expectRefused(await theirs.send('PUT', '/customer/1/links/knows/customer/2'), nothing);
      for (const query of ['', '?kind=customer', '?external_id=1', '?trait.plan=pro']) {
        expect(listOf(await theirs.get(query)).data).toEqual([]);
      }
      const { next_cursor } = listOf(await ours.get('?limit=1'));
      expectRefused(await theirs.get(`?cursor=${next_cursor}`), {
        status: 400,
        code: 'invalid_cursor',
        path: 'cursor',
      });
      expect(dataOf(await ours.get('/customer/1'))).toMatchObject({ version: 1 });
    });
  });
}
