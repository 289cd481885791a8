import { expect, test } from 'bun:test';
import { readTraitPath } from '../../../src/core/entities/trait.ts';
import type { EntityFilter } from '../../../src/core/stores/entities.ts';
import { aWrite, listAll, listPage, orgWith, put } from './entity-samples.ts';
import { NOW } from './samples.ts';
import type { Subject } from './suite.ts';

/** `{ plan: 'pro' }` as a filter. */
const byTraits = (traits: Record<string, string>): EntityFilter => ({
  traits: Object.entries(traits).map(([path, text]) => ({ path: readTraitPath(path), text })),
});

export function entityListsContract(subject: Subject): void {
  const found = async (orgId: string, filter: EntityFilter = {}) =>
    (await listPage(subject.storage, orgId, filter)).entities.map(({ externalId }) => externalId);

  test('lists the newest change first, across kinds', async () => {
    const org = await orgWith(subject.storage);
    expect(await found(org)).toEqual([]);
    for (const kind of ['b', 'a', 'c']) {
      await put(
        subject.storage,
        org,
        aWrite({ kind, externalId: `${kind}1` }),
        aWrite({ kind, externalId: `${kind}2` }),
      );
    }
    expect(await found(org)).toEqual(['c2', 'c1', 'a2', 'a1', 'b2', 'b1']);
    await put(subject.storage, org, aWrite({ kind: 'b', externalId: 'b1' }));
    expect(await found(org)).toEqual(['b1', 'c2', 'c1', 'a2', 'a1', 'b2']);
    expect(await found(org, { kind: 'b' })).toEqual(['b1', 'b2']);
    expect(await found(org, { kind: 'none' })).toEqual([]);
    expect(await found(org, { externalId: 'a1' })).toEqual(['a1']);
    expect(await found(org, { externalId: 'a1', kind: 'b' })).toEqual([]);
  });

  test('finds entities by how their external ids begin, in their order, whatever characters follow', async () => {
    const [org, other] = [await orgWith(subject.storage), await orgWith(subject.storage)];
    const named = ['c_1', 'c_10', 'c_1😀', 'c_1\u{10FFFD}', 'c_2', 'C_1', 'xc_1', 'c%1'];
    await put(subject.storage, org, ...named.map(externalId => aWrite({ kind: 'b', externalId })));
    await put(subject.storage, org, aWrite({ kind: 'a', externalId: 'c_1' }));
    await put(subject.storage, other, aWrite({ kind: 'a', externalId: 'c_1' }));
    const begin = async (prefix: string, limit = 20) =>
      (await subject.storage.findEntitiesByPrefix(org, prefix, limit)).map(
        one => `${one.kind} ${one.externalId}`,
      );
    expect(await begin('c_1')).toEqual(['a c_1', 'b c_1', 'b c_10', 'b c_1😀', 'b c_1\u{10FFFD}']);
    expect(await begin('c_', 3)).toEqual(['a c_1', 'b c_1', 'b c_10']);
    expect(await begin('c_3')).toEqual([]);
  });

  test('pages without gaps or repeats while rows change, arrive and go', async () => {
    const org = await orgWith(subject.storage);
    const names = Array.from({ length: 25 }, (_, n) => `e${n}`);
    await put(
      subject.storage,
      org,
      ...names.map((name, n) => aWrite({ kind: `k${n % 3}`, externalId: name })),
    );
    const first = await listPage(subject.storage, org, {}, { limit: 10 });
    await put(
      subject.storage,
      org,
      aWrite({ kind: 'k0', externalId: 'e3' }),
      aWrite({ kind: 'k9', externalId: 'new' }),
    );
    await subject.storage.deleteEntity(org, { kind: 'k0', externalId: 'e0' }, null);
    const second = await listPage(subject.storage, org, {}, { limit: 10, position: first.next });
    const third = await listPage(subject.storage, org, {}, { limit: 10, position: second.next });
    const seen = [first, second, third].flatMap(({ entities }) =>
      entities.map(({ externalId }) => externalId),
    );
    expect(seen).toEqual(names.filter(name => name !== 'e3' && name !== 'e0').toReversed());
    expect(third.next).toBeNull();
  });

  test('says that there is no more when the last page is just full', async () => {
    const org = await orgWith(subject.storage, ['a']);
    await put(subject.storage, org, aWrite('1', { a: 1, b: 1 }), aWrite('2', { a: 1, b: 1 }));
    for (const filter of [{}, byTraits({ a: '1' }), byTraits({ b: '1' }), { kind: 'customer' }]) {
      expect((await listPage(subject.storage, org, filter, { limit: 2 })).next).toBeNull();
      expect((await listPage(subject.storage, org, filter, { limit: 1 })).next).not.toBeNull();
    }
  });

  test('takes updatedAfter as exclusive', async () => {
    const org = await orgWith(subject.storage, ['a']);
    for (const n of [0, 1, 2]) {
      await put(subject.storage, org, aWrite(`e${n}`, { a: 1 }, { changed: (NOW + n) * 1_000 + 999 }));
    }
    for (const filter of [{}, { kind: 'customer' }, byTraits({ a: '1' })]) {
      expect(await found(org, { ...filter, updatedAfter: NOW - 1 })).toEqual(['e2', 'e1', 'e0']);
      expect(await found(org, { ...filter, updatedAfter: NOW })).toEqual(['e2', 'e1']);
      expect(await found(org, { ...filter, updatedAfter: NOW + 2 })).toEqual([]);
    }
  });

  const traitCases: [filter: Record<string, string>, found: string[]][] = [
    [{ plan: 'pro' }, ['string']],
    [{ plan: 'Pro' }, []],
    [{ plan: 'pr' }, []],
    [{ n: '42' }, ['number', 'text']],
    [{ n: '42.0' }, []],
    [{ n: '0.1' }, ['fraction']],
    [{ n: '12345678901234567890' }, ['big']],
    [{ flag: 'true' }, ['boolean', 'true']],
    [{ flag: 'false' }, []],
    [{ 'a.b': 'deep' }, ['nested']],
    [{ a: '[object Object]' }, []],
    [{ a: '{"b":"deep"}' }, []],
    [{ list: 'x' }, []],
    [{ list: '["x"]' }, []],
    [{ 'list[0]': 'x' }, ['list']],
    [{ nothing: 'null' }, ['null text']],
    [{ nothing: '' }, []],
    [{ empty: '' }, ['empty']],
    [{ '["x.y"]': '1' }, ['dotted']],
    [{ quote: `'"\\%_` }, ['quotes']],
    [{ quote: "' OR '1'='1" }, []],
    [{ '__proto__.x': '1' }, ['proto']],
    [{ constructor: 'Object' }, []],
    [{ long: 'l'.repeat(1_000) }, ['long']],
    [{ long: 'l'.repeat(999) }, []],
    [{ n: '42', flag: 'true' }, []],
  ];
  const traitsOf: Record<string, string> = {
    string: '{"plan":"pro"}',
    number: '{"n":42}',
    text: '{"n":"42"}',
    fraction: '{"n":0.1}',
    big: '{"n":12345678901234567890}',
    boolean: '{"flag":true}',
    true: '{"flag":"true"}',
    nested: '{"a":{"b":"deep"}}',
    list: '{"list":["x"]}',
    null: '{"nothing":null}',
    'null text': '{"nothing":"null"}',
    empty: '{"empty":""}',
    dotted: '{"x.y":1,"x":{"y":2}}',
    quotes: JSON.stringify({ quote: `'"\\%_` }),
    proto: '{"__proto__":{"x":1}}',
    long: JSON.stringify({ long: 'l'.repeat(1_000) }),
  };
  const paths = [...new Set(traitCases.flatMap(([filter]) => Object.keys(filter)))];

  for (const [how, searchable] of [
    ['without an index', []],
    ['by the index', paths],
    ['by the index of one of them', ['plan', 'flag']],
  ] as const) {
    test(`finds a trait that is equal, ${how}`, async () => {
      const org = await orgWith(subject.storage, [...searchable]);
      for (const [name, traits] of Object.entries(traitsOf)) {
        await put(subject.storage, org, aWrite(name, traits, { mode: 'replace' }));
      }
      for (const [filter, expected] of traitCases) {
        expect([filter, (await found(org, byTraits(filter))).toSorted()]).toEqual([
          filter,
          expected.toSorted(),
        ]);
        expect(await found(org, { ...byTraits(filter), kind: 'customer' })).toHaveLength(expected.length);
        expect(await found(org, { ...byTraits(filter), kind: 'company' })).toEqual([]);
      }
    });
  }

  test('searches in slices, each within its budget, and goes on from there', async () => {
    const org = await orgWith(subject.storage);
    const total = 9_000;
    for (let at = 0; at < total; at += 1_000) {
      const writes = Array.from({ length: 1_000 }, (_, n) =>
        aWrite({ kind: `k${(at + n) % 2}`, externalId: `e${at + n}` }, { rare: (at + n) % 4_500 === 0 }),
      );
      await subject.storage.writeEntities([{ orgId: org, writes }]);
    }
    for (const kind of [undefined, 'k0']) {
      const filter = { ...byTraits({ rare: 'true' }), kind };
      const hurried = await listAll(subject.storage, org, filter, { limit: 10, budgetMs: 0 });
      expect(hurried.ids).toEqual(['e4500', 'e0']);
      expect(hurried.pages).toBeGreaterThan(1);
      const patient = await listAll(subject.storage, org, filter, { limit: 10 });
      expect(patient).toEqual({ ids: ['e4500', 'e0'], pages: 1 });
    }
  });

  test('finds the same whatever traits are searchable, while the index is on its way and after', async () => {
    const org = await orgWith(subject.storage);
    const plans = ['free', 'pro', 'team'];
    const names = Array.from({ length: 30 }, (_, n) => `e${n}`);
    await put(
      subject.storage,
      org,
      ...names.map((name, n) => aWrite(name, { plan: plans[n % 3], n: n % 2 })),
    );
    const check = async () => {
      const filters: Record<string, string>[] = [{ plan: 'pro' }, { n: '1' }, { n: '1', plan: 'pro' }];
      for (const filter of filters) {
        const expected = names
          .filter((_, n) => (!('plan' in filter) || n % 3 === 1) && (!('n' in filter) || n % 2 === 1))
          .toReversed();
        expect((await found(org, byTraits(filter))).toSorted()).toEqual(expected.toSorted());
        const pages = await listAll(
          subject.storage,
          org,
          { ...byTraits(filter), kind: 'customer' },
          { limit: 3 },
        );
        expect(pages.ids.toSorted()).toEqual(expected.toSorted());
      }
    };
    for (const searchableTraits of [['plan'], ['n', 'plan'], ['n'], []]) {
      await subject.storage.updateOrganisation(org, { searchableTraits });
      await check();
      expect(await subject.storage.reindexEntities(org, 20)).toBe(20);
      await put(subject.storage, org, aWrite('e29', {}), aWrite('e0', {}));
      await check();
      while ((await subject.storage.reindexEntities(org, 20)) > 0);
      await check();
      await put(subject.storage, org, aWrite('e1', { plan: 'pro' }), aWrite('e2', { plan: 'team' }));
      await check();
    }
    expect(await subject.storage.reindexEntities(org, 20)).toBe(0);
  });

  test('follows a searchable trait that changes, goes, or becomes a list', async () => {
    const org = await orgWith(subject.storage, ['plan', 'seats']);
    await put(subject.storage, org, aWrite('1', { plan: 'pro', seats: 1 }), aWrite('2', { plan: 'pro' }));
    await put(subject.storage, org, aWrite('1', { plan: 'team' }));
    expect(await found(org, byTraits({ plan: 'pro' }))).toEqual(['2']);
    expect(await found(org, byTraits({ plan: 'team', seats: '1' }))).toEqual(['1']);
    await put(subject.storage, org, aWrite('1', { plan: ['team'] }), aWrite('2', { plan: null }));
    expect(await found(org, byTraits({ plan: 'team' }))).toEqual([]);
    expect(await found(org, byTraits({ plan: 'pro' }))).toEqual([]);
    await put(subject.storage, org, aWrite('2', { plan: 'team' }));
    expect(await found(org, byTraits({ plan: 'team' }))).toEqual(['2']);
    await subject.storage.deleteEntity(org, { kind: 'customer', externalId: '2' }, null);
    expect(await found(org, byTraits({ plan: 'team' }))).toEqual([]);
    expect(await found(org, byTraits({ seats: '1' }))).toEqual(['1']);
  });

  test('finds an entity once that was written while one of its traits was not searchable', async () => {
    const org = await orgWith(subject.storage, ['plan', 'seats']);
    const declare = async (...searchableTraits: string[]) => {
      await subject.storage.updateOrganisation(org, { searchableTraits });
    };
    await put(subject.storage, org, aWrite('1', { plan: 'free', seats: 1 }), aWrite('2', { plan: 'free' }));
    await declare('seats');
    await put(subject.storage, org, aWrite('1', { plan: 'pro' }));
    while ((await subject.storage.reindexEntities(org, 20)) > 0);
    await declare('plan', 'seats');
    while ((await subject.storage.reindexEntities(org, 20)) > 0);
    await put(subject.storage, org, aWrite('1', { plan: 'free' }), aWrite('2', { plan: 'free' }));
    expect(await found(org, byTraits({ plan: 'free' }))).toEqual(['2', '1']);
    expect(await found(org, byTraits({ plan: 'pro' }))).toEqual([]);
    expect(await found(org, byTraits({ seats: '1' }))).toEqual(['1']);
  });

  test('misses no entity that is written while the searchable traits change', async () => {
    const org = await orgWith(subject.storage);
    const names = Array.from({ length: 60 }, (_, n) => `e${n}`);
    await subject.atOnce(61, async (storage, n) => {
      if (n === 30) await storage.updateOrganisation(org, { searchableTraits: ['plan'] });
      else await put(storage, org, aWrite(names[n > 30 ? n - 1 : n] ?? '', { plan: 'pro' }));
    });
    await subject.atOnce(
      20,
      (storage, n): Promise<unknown> =>
        n % 2 === 0
          ? storage.reindexEntities(org, 7)
          : put(storage, org, aWrite(names[n] ?? '', { plan: 'pro' })),
    );
    expect((await found(org, byTraits({ plan: 'pro' }))).toSorted()).toEqual(names.toSorted());
    while ((await subject.storage.reindexEntities(org, 7)) > 0);
    expect((await found(org, byTraits({ plan: 'pro' }))).toSorted()).toEqual(names.toSorted());
  });

  test('holds nothing of another organisation', async () => {
    const [org, other] = [await orgWith(subject.storage, ['a']), await orgWith(subject.storage, ['a'])];
    await put(subject.storage, org, aWrite('1', { a: 1, b: 1 }));
    for (const filter of [
      {},
      { kind: 'customer' },
      { externalId: '1' },
      byTraits({ a: '1' }),
      byTraits({ b: '1' }),
    ]) {
      expect(await found(other, filter)).toEqual([]);
      expect(await found(org, filter)).toEqual(['1']);
    }
  });
}
