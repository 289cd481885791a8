import { expect, test } from 'bun:test';
import type { EntityRef } from '../../../src/core/event/scope.ts';
import type { NewLink } from '../../../src/core/stores/entities.ts';
import { aWrite, customer, orgWith, put } from './entity-samples.ts';
import { NOW } from './samples.ts';
import type { Subject } from './suite.ts';

const edge = (from: string, relation: string, to: string): NewLink => ({
  relation,
  from: customer(from),
  to: customer(to),
});

export function entityGraphsContract(subject: Subject): void {
  async function orgWithEntities(...names: string[]): Promise<string> {
    const org = await orgWith(subject.storage);
    await subject.storage.writeEntities([{ orgId: org, writes: names.map(name => aWrite(name)) }]);
    return org;
  }

  /** `a>member_of>b` for each. */
  async function link(org: string, ...links: string[]): Promise<void> {
    for (const text of links) {
      const [from = '', relation = '', to = ''] = text.split('>');
      await subject.storage.linkEntities(org, edge(from, relation, to), NOW);
    }
  }

  const shown = ({ from, relation, to }: { from: EntityRef; relation: string; to: EntityRef }) =>
    `${from.externalId}>${relation}>${to.externalId}`;

  async function linksOf(org: string, name: string, direction: 'in' | 'out' | null = null, limit = 100) {
    const all: string[] = [];
    let position: string | null = null;
    do {
      const page = { limit, position };
      const found = await subject.storage.listEntityLinks(org, customer(name), direction, page);
      all.push(...(found?.links.map(shown) ?? []));
      position = found?.next ?? null;
    } while (position !== null && all.length < 1_000);
    return all;
  }

  const membersOf = async (org: string, name: string) =>
    (await subject.storage.findIdentityMembers(org, customer(name)))?.members.map(
      ({ externalId }) => externalId,
    );

  test('links two entities once, and says so', async () => {
    const org = await orgWithEntities('a', 'b');
    const input = edge('a', 'member_of', 'b');
    expect(await subject.storage.linkEntities(org, input, NOW)).toEqual({
      link: { ...input, createdAt: NOW },
      made: true,
    });
    expect(await subject.storage.linkEntities(org, input, NOW + 9)).toEqual({
      link: { ...input, createdAt: NOW },
      made: false,
    });
    expect(await subject.storage.linkEntities(org, edge('b', 'member_of', 'a'), NOW)).toMatchObject({
      made: true,
    });
    expect(await subject.storage.unlinkEntities(org, input)).toBe(true);
    expect(await subject.storage.unlinkEntities(org, input)).toBe(false);
    expect(await linksOf(org, 'a')).toEqual(['b>member_of>a']);
  });

  test('takes same_as from either end for the same link', async () => {
    const org = await orgWithEntities('a', 'b');
    await link(org, 'b>same_as>a');
    expect(await subject.storage.linkEntities(org, edge('a', 'same_as', 'b'), NOW + 9)).toEqual({
      link: { ...edge('b', 'same_as', 'a'), createdAt: NOW },
      made: false,
    });
    for (const direction of ['in', 'out', null] as const) {
      expect(await linksOf(org, 'a', direction)).toEqual(['b>same_as>a']);
      expect(await linksOf(org, 'b', direction)).toEqual(['b>same_as>a']);
    }
    expect(await subject.storage.unlinkEntities(org, edge('a', 'same_as', 'b'))).toBe(true);
    expect(await linksOf(org, 'a')).toEqual([]);
  });

  test('makes one link of many at once, from both ends', async () => {
    const org = await orgWithEntities('a', 'b');
    const results = await subject.atOnce(12, (storage, n) =>
      storage.linkEntities(org, n % 2 === 0 ? edge('a', 'same_as', 'b') : edge('b', 'same_as', 'a'), NOW),
    );
    expect(results.filter(result => result?.made)).toHaveLength(1);
    expect(await linksOf(org, 'a')).toHaveLength(1);
  });

  test('links nothing to what is not there, or is another organisation’s', async () => {
    const [org, other] = [await orgWithEntities('a', 'b'), await orgWithEntities('a')];
    await link(org, 'a>same_as>b');
    for (const input of [edge('a', 'same_as', 'b'), edge('b', 'same_as', 'a'), edge('x', 'knows', 'y')]) {
      expect(await subject.storage.linkEntities(other, input, NOW)).toBeNull();
      expect(await subject.storage.unlinkEntities(other, input)).toBe(false);
    }
    expect(await linksOf(other, 'a')).toEqual([]);
    expect(await membersOf(other, 'a')).toEqual(['a']);
    const page = { limit: 10, position: null };
    expect(await subject.storage.listEntityLinks(other, customer('b'), null, page)).toBeNull();
    expect(await subject.storage.findEntityGraph(other, customer('b'), 1)).toBeNull();
    expect(await subject.storage.findIdentityMembers(other, customer('b'))).toBeNull();
  });

  test('pages through the links of both directions without gaps or repeats', async () => {
    const others = Array.from({ length: 9 }, (_, n) => `o${n}`);
    const org = await orgWithEntities('a', ...others);
    const links = others.flatMap((name, n) => [`a>r${n % 3}>${name}`, `${name}>s${n % 2}>a`]);
    await link(org, ...links, 'o1>same_as>a', 'a>same_as>o2');
    for (const limit of [1, 4, 100]) {
      expect((await linksOf(org, 'a', null, limit)).toSorted()).toEqual(
        [...links, 'o1>same_as>a', 'a>same_as>o2'].toSorted(),
      );
      expect((await linksOf(org, 'a', 'out', limit)).toSorted()).toEqual(
        [...links.filter(text => text.startsWith('a>')), 'o1>same_as>a', 'a>same_as>o2'].toSorted(),
      );
      expect((await linksOf(org, 'a', 'in', limit)).toSorted()).toEqual(
        [...links.filter(text => text.endsWith('>a')), 'o1>same_as>a', 'a>same_as>o2'].toSorted(),
      );
    }
    expect(await linksOf(org, 'o0')).toEqual(['o0>s0>a', 'a>r0>o0']);
  });

  test('takes the links of an entity away with it', async () => {
    const org = await orgWithEntities('a', 'b', 'c');
    await link(org, 'a>same_as>b', 'b>knows>c', 'a>knows>c');
    await subject.storage.deleteEntity(org, customer('b'), null);
    expect(await linksOf(org, 'a')).toEqual(['a>knows>c']);
    expect(await linksOf(org, 'c')).toEqual(['a>knows>c']);
    await put(subject.storage, org, aWrite('b'));
    expect(await linksOf(org, 'b')).toEqual([]);
  });

  test('joins nothing over an entity that is gone', async () => {
    const org = await orgWithEntities('a', 'b', 'c');
    await link(org, 'a>same_as>b', 'b>same_as>c');
    await subject.storage.deleteEntity(org, customer('b'), null);
    expect(await membersOf(org, 'a')).toEqual(['a']);
    const graph = await subject.storage.findEntityGraph(org, customer('a'), 5);
    expect([graph?.nodes.length, graph?.edges]).toEqual([1, []]);
  });

  test('leaves no link to an entity that is deleted while it is being linked', async () => {
    for (let round = 0; round < 5; round++) {
      const org = await orgWithEntities('a', 'b');
      await subject.atOnce(
        2,
        (storage, n): Promise<unknown> =>
          n === 0
            ? storage.linkEntities(org, edge('a', 'same_as', 'b'), NOW)
            : storage.deleteEntity(org, customer('b'), null),
      );
      expect(await linksOf(org, 'a')).toEqual([]);
    }
  });

  test('walks edges both ways, as far as the depth', async () => {
    const org = await orgWithEntities('a', 'b', 'c', 'd', 'e', 'lone');
    await link(org, 'a>knows>b', 'c>knows>b', 'c>same_as>d', 'd>knows>e', 'e>knows>a');
    const graph = async (name: string, depth: number) => {
      const found = await subject.storage.findEntityGraph(org, customer(name), depth);
      return {
        nodes: found?.nodes.map(({ externalId }) => externalId).toSorted(),
        edges: found?.edges.map(shown).toSorted(),
        truncated: found?.truncated,
      };
    };
    expect(await graph('b', 1)).toEqual({
      nodes: ['a', 'b', 'c'],
      edges: ['a>knows>b', 'c>knows>b'],
      truncated: false,
    });
    expect((await graph('b', 2)).nodes).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect((await graph('b', 3)).edges).toEqual([
      'a>knows>b',
      'c>knows>b',
      'c>same_as>d',
      'd>knows>e',
      'e>knows>a',
    ]);
    expect(await graph('lone', 5)).toEqual({ nodes: ['lone'], edges: [], truncated: false });
  });

  test('cuts a graph at 1,000 nodes and an identity likewise, and says so', async () => {
    const names = Array.from({ length: 1_001 }, (_, n) => `n${n}`);
    const org = await orgWithEntities('hub');
    for (let at = 0; at < names.length; at += 500) {
      const writes = names.slice(at, at + 500).map(name => aWrite(name));
      await subject.storage.writeEntities([{ orgId: org, writes }]);
    }
    const all = async (from: number, to: number) => {
      for (let at = from; at < to; at += 20) {
        const some = names.slice(at, Math.min(to, at + 20));
        await Promise.all(some.map(name => link(org, `hub>same_as>${name}`)));
      }
    };
    await all(0, 999);
    const full = await subject.storage.findEntityGraph(org, customer('hub'), 1);
    expect([full?.nodes.length, full?.edges.length, full?.truncated]).toEqual([1_000, 999, false]);
    const whole = await subject.storage.findIdentityMembers(org, customer('n7'));
    expect([whole?.members.length, whole?.truncated]).toEqual([1_000, false]);
    await all(999, 1_001);
    const cut = await subject.storage.findEntityGraph(org, customer('n3'), 2);
    expect([cut?.nodes.length, cut?.edges.length, cut?.truncated]).toEqual([1_000, 999, true]);
    expect(cut?.nodes[0]?.externalId).toBe('n3');
    const cutIdentity = await subject.storage.findIdentityMembers(org, customer('hub'));
    expect([cutIdentity?.members.length, cutIdentity?.truncated]).toEqual([1_000, true]);
  });

  test('joins an identity by same_as alone, and splits it again', async () => {
    const org = await orgWithEntities('a', 'b', 'c', 'd', 'e');
    await link(org, 'a>same_as>b', 'c>same_as>b', 'c>same_as>d', 'd>same_as>a', 'd>knows>e');
    for (const name of ['a', 'b', 'c', 'd']) expect(await membersOf(org, name)).toEqual(['a', 'b', 'c', 'd']);
    expect(await membersOf(org, 'e')).toEqual(['e']);
    await subject.storage.unlinkEntities(org, edge('a', 'same_as', 'd'));
    expect(await membersOf(org, 'a')).toEqual(['a', 'b', 'c', 'd']);
    await subject.storage.unlinkEntities(org, edge('b', 'same_as', 'c'));
    expect(await membersOf(org, 'a')).toEqual(['a', 'b']);
    expect(await membersOf(org, 'd')).toEqual(['c', 'd']);
  });
}
