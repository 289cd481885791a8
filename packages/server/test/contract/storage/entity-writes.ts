import { expect, test } from 'bun:test';
import type { EntityWriteResult } from '../../../src/core/stores/entities.ts';
import { aWrite, customer, listPage, orgWith, put } from './entity-samples.ts';
import { anAuditEntry, NOW, removeDeleted } from './samples.ts';
import type { Subject } from './suite.ts';

const refused = (index: number, reason: string) => ({ kind: 'refused', index, reason }) as EntityWriteResult;

export function entityWritesContract(subject: Subject): void {
  const find = (orgId: string, externalId: string) => subject.storage.findEntity(orgId, customer(externalId));

  test('makes an entity with version 1, and keeps when it was made', async () => {
    const org = await orgWith(subject.storage);
    const [made] = await put(
      subject.storage,
      org,
      aWrite('1', { plan: 'pro' }, { changed: NOW * 1_000 + 7 }),
    );
    const entity = {
      kind: 'customer',
      externalId: '1',
      traits: '{"plan":"pro"}',
      version: 1,
      createdAt: NOW,
      updatedAt: NOW,
    };
    expect(made).toEqual(entity);
    expect(await find(org, '1')).toEqual({ ...entity, traitTimes: `{"plan":${NOW * 1_000 + 7}}` });
    await put(subject.storage, org, aWrite('1', { seats: 5 }, { changed: (NOW + 60) * 1_000 }));
    expect(await find(org, '1')).toEqual({
      ...entity,
      traits: '{"plan":"pro","seats":5}',
      version: 2,
      updatedAt: NOW + 60,
      traitTimes: `{"plan":${NOW * 1_000 + 7},"seats":${(NOW + 60) * 1_000}}`,
    });
  });

  test('replaces, merges and patches, each raising the version by one', async () => {
    const org = await orgWith(subject.storage);
    const traits = async () => {
      const entity = await find(org, '1');
      return [entity?.version, entity?.traits];
    };
    await put(subject.storage, org, aWrite('1', { a: { b: 1, c: 2 }, d: 3 }));
    await put(subject.storage, org, aWrite('1', { a: { b: null, e: [1] }, d: null }));
    expect(await traits()).toEqual([2, '{"a":{"c":2,"e":[1]}}']);
    await put(subject.storage, org, aWrite('1', { a: 'flat' }, { mode: 'patch' }));
    expect(await traits()).toEqual([3, '{"a":"flat"}']);
    await put(subject.storage, org, aWrite('1', { x: null }, { mode: 'replace' }));
    expect(await traits()).toEqual([4, '{"x":null}']);
    await put(subject.storage, org, aWrite('1', {}, { mode: 'patch' }));
    expect(await traits()).toEqual([5, '{"x":null}']);
  });

  test('patches nothing that is not there, and leaves nothing behind', async () => {
    const org = await orgWith(subject.storage);
    expect(await put(subject.storage, org, aWrite('1', { a: 1 }, { mode: 'patch' }))).toEqual(['not_found']);
    expect(await find(org, '1')).toBeNull();
    expect((await listPage(subject.storage, org)).entities).toEqual([]);
  });

  test('writes only where the version is the one that is asked for', async () => {
    const org = await orgWith(subject.storage);
    const write = (ifMatch: number | '*' | null, mode: 'replace' | 'patch' = 'replace') =>
      put(subject.storage, org, aWrite('1', {}, { ifMatch, mode }));
    expect(await write('*')).toEqual(['version_conflict']);
    expect(await write(1)).toEqual(['version_conflict']);
    expect(await write(null)).toMatchObject([{ version: 1 }]);
    expect(await write(2)).toEqual(['version_conflict']);
    expect(await write(1)).toMatchObject([{ version: 2 }]);
    expect(await write('*', 'patch')).toMatchObject([{ version: 3 }]);
    expect(await write(0, 'patch')).toEqual(['version_conflict']);
    expect((await find(org, '1'))?.version).toBe(3);
  });

  test('writes a call whole or not at all, and each call by itself', async () => {
    const org = await orgWith(subject.storage);
    const results = await subject.storage.writeEntities([
      { orgId: org, writes: [aWrite('1', { a: 1 }), aWrite('2'), aWrite('1', { a: 2 })] },
      { orgId: org, writes: [aWrite('3'), aWrite('1', { a: 9 }), aWrite('gone', {}, { mode: 'patch' })] },
      { orgId: org, writes: [aWrite('4')] },
    ]);
    expect(results).toMatchObject([
      { kind: 'written', entities: [{ version: 1 }, { version: 1 }, { version: 2, traits: '{"a":2}' }] },
      refused(2, 'not_found'),
      { kind: 'written' },
    ]);
    expect(await find(org, '3')).toBeNull();
    expect(await find(org, 'gone')).toBeNull();
    expect(await find(org, '1')).toMatchObject({ version: 2, traits: '{"a":2}' });
    expect(await find(org, '4')).not.toBeNull();
  });

  test('keeps what a call puts on record with what it wrote, and neither where it was refused', async () => {
    const org = await orgWith(subject.storage);
    const [first, second, third] = [anAuditEntry(org), anAuditEntry(org), anAuditEntry(org)];
    await subject.storage.writeEntities([
      { orgId: org, writes: [aWrite('1'), aWrite('2')], records: [first, second] },
      { orgId: org, writes: [aWrite('gone', {}, { mode: 'patch' })], records: [third] },
      { orgId: org, writes: [aWrite('3')] },
    ]);
    const onRecord = () => subject.storage.listAudit(org, { limit: 10, below: null });
    expect(await onRecord()).toEqual([second, first]);
    // The same id once more cannot be kept, after the write itself went well.
    const again = subject.storage.writeEntities([{ orgId: org, writes: [aWrite('4')], records: [first] }]);
    expect(
      await again.then(
        () => 'done',
        () => 'failed',
      ),
    ).toBe('failed');
    expect(await find(org, '4')).toBeNull();
    expect(await onRecord()).toEqual([second, first]);
  });

  test('sees what an earlier call of the same batch wrote, and not what it did not', async () => {
    const org = await orgWith(subject.storage);
    const results = await subject.storage.writeEntities([
      { orgId: org, writes: [aWrite('1', { a: 1 }), aWrite('x', {}, { mode: 'patch' })] },
      { orgId: org, writes: [aWrite('1', { b: 1 }, { mode: 'patch' })] },
      { orgId: org, writes: [aWrite('1', { c: 1 })] },
      { orgId: org, writes: [aWrite('1', { d: 1 }, { mode: 'patch', ifMatch: 1 })] },
    ]);
    expect(results).toMatchObject([
      refused(1, 'not_found'),
      refused(0, 'not_found'),
      { entities: [{ version: 1, traits: '{"c":1}' }] },
      { entities: [{ version: 2, traits: '{"c":1,"d":1}' }] },
    ]);
  });

  test('allows traits of 64 KiB of UTF-8, counted in what a write results in', async () => {
    const org = await orgWith(subject.storage);
    // `{"a":"…"}` is eight bytes around the text, and ü has two.
    const full = 'ü'.repeat((65_536 - 8) / 2);
    expect(await put(subject.storage, org, aWrite('1', { a: full }))).toMatchObject([{ version: 1 }]);
    expect(await put(subject.storage, org, aWrite('1', { a: `${full}x` }))).toEqual(['too_large']);
    expect(await put(subject.storage, org, aWrite('1', { b: 1 }))).toEqual(['too_large']);
    expect(await put(subject.storage, org, aWrite('1', { a: null, b: 1 }))).toMatchObject([{ version: 2 }]);
  });

  test('keeps integers exact, and keys and ids whatever they are called', async () => {
    const org = await orgWith(subject.storage);
    const traits = '{"big":12345678901234567890123,"__proto__":{"x":1},"constructor":"c","":0}';
    for (const externalId of ['../x', 'a/b', '%2F', '😀', ' ', "' OR '1'='1", '"', '\\', '0'.repeat(256)]) {
      await put(subject.storage, org, aWrite(externalId, traits));
      await put(subject.storage, org, aWrite(externalId, '{"__proto__":{"y":2}}', { mode: 'patch' }));
      expect(await find(org, externalId)).toMatchObject({
        externalId,
        traits: '{"big":12345678901234567890123,"__proto__":{"x":1,"y":2},"constructor":"c","":0}',
      });
    }
  });

  test('keeps entities apart by kind and by organisation', async () => {
    const [org, other] = [await orgWith(subject.storage), await orgWith(subject.storage)];
    await put(subject.storage, org, aWrite('1', { a: 1 }), aWrite({ kind: 'company', externalId: '1' }));
    expect(await subject.storage.findEntity(other, customer('1'))).toBeNull();
    expect(await put(subject.storage, other, aWrite('1', {}, { mode: 'patch' }))).toEqual(['not_found']);
    expect(await subject.storage.deleteEntity(other, customer('1'), null)).toBe('not_found');
    expect((await subject.storage.findEntity(org, { kind: 'company', externalId: '1' }))?.traits).toBe('{}');
    expect(await subject.storage.findTraits(org, [customer('1'), customer('2'), customer('1')])).toEqual([
      '{"a":1}',
      null,
      '{"a":1}',
    ]);
    expect(await subject.storage.findTraits(other, [customer('1')])).toEqual([null]);
    expect(await subject.storage.findTraits(org, [])).toEqual([]);
  });

  test('deletes where the version allows it, and begins again at 1', async () => {
    const org = await orgWith(subject.storage, ['a']);
    await put(subject.storage, org, aWrite('1', { a: 1 }), aWrite('1'));
    const remove = (ifMatch: number | '*' | null) =>
      subject.storage.deleteEntity(org, customer('1'), ifMatch);
    expect(await remove(1)).toBe('version_conflict');
    expect(await remove(2)).toBe('deleted');
    expect(await remove('*')).toBe('not_found');
    expect(await find(org, '1')).toBeNull();
    expect(await put(subject.storage, org, aWrite('1'))).toMatchObject([{ version: 1, traits: '{}' }]);
  });

  test('loses none of many writes of one entity at once', async () => {
    const org = await orgWith(subject.storage, ['n1']);
    const results = await subject.atOnce(24, (storage, n) =>
      put(storage, org, aWrite('1', { [`n${n}`]: n }), aWrite(`other ${n % 3}`, { n })),
    );
    const entity = await find(org, '1');
    expect(entity?.version).toBe(24);
    expect(Object.keys(JSON.parse(entity?.traits ?? '{}'))).toHaveLength(24);
    const versions = results.map(([one]) => (typeof one === 'string' ? one : one?.version));
    expect(new Set(versions).size).toBe(24);
  });

  test('lets one of many that want the same version write', async () => {
    const org = await orgWith(subject.storage);
    await put(subject.storage, org, aWrite('1'));
    const results = await subject.atOnce(12, storage => put(storage, org, aWrite('1', {}, { ifMatch: 1 })));
    expect(results.flat().filter(result => result !== 'version_conflict')).toHaveLength(1);
  });

  test('writes the same many in opposite orders at once', async () => {
    const org = await orgWith(subject.storage);
    const names = Array.from({ length: 40 }, (_, n) => `e${n}`);
    await subject.atOnce(6, (storage, n) =>
      storage.writeEntities([
        { orgId: org, writes: (n % 2 === 0 ? names : names.toReversed()).map(name => aWrite(name, { n })) },
      ]),
    );
    const { entities } = await listPage(subject.storage, org);
    expect(entities.map(({ version }) => version)).toEqual(names.map(() => 6));
  });

  test('goes with its organisation', async () => {
    const [org, kept] = [await orgWith(subject.storage, ['a']), await orgWith(subject.storage, ['a'])];
    for (const orgId of [org, kept]) {
      await put(subject.storage, orgId, aWrite('1', { a: 1 }), aWrite('2'));
      const link = { relation: 'same_as', from: customer('1'), to: customer('2') };
      await subject.storage.linkEntities(orgId, link, NOW);
    }
    await subject.storage.deleteOrganisation(org, NOW);
    await removeDeleted(subject.storage);
    expect(await find(org, '1')).toBeNull();
    expect(await find(kept, '1')).not.toBeNull();
    await put(subject.storage, org, aWrite('1'), aWrite('2'));
    expect(await subject.storage.findIdentityMembers(org, customer('1'))).toMatchObject({
      members: [{ externalId: '1' }],
    });
    expect((await subject.storage.findIdentityMembers(kept, customer('1')))?.members).toHaveLength(2);
  });
}
