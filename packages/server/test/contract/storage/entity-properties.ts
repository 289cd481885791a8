import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { EntityWrite } from '../../../src/core/entities/write.ts';
import type { EntityPage } from '../../../src/core/stores/entities.ts';
import { mergeIdentity } from '../../../src/entities/identity.ts';
import { aWrite, customer, listPage, orgWith, put } from './entity-samples.ts';
import { NOW } from './samples.ts';
import type { Subject } from './suite.ts';

export function entityPropertiesContract(subject: Subject): void {
  test('any order of concurrent upserts and patches on one key ends in one row whose version counts them', async () => {
    const someWrites = fc.array(
      fc.record({
        mode: fc.constantFrom<EntityWrite['mode']>('replace', 'merge', 'patch'),
        trait: fc.constantFrom('a', 'b', 'c'),
        value: fc.oneof(fc.integer(), fc.constant(null), fc.constantFrom('x', 'y')),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(someWrites, fc.boolean(), async (writes, isSearchable) => {
        const org = await orgWith(subject.storage, isSearchable ? ['a', 'b'] : []);
        const results = (
          await subject.atOnce(writes.length, (storage, n) => {
            const { mode = 'merge', trait = 'a', value = null } = writes[n] ?? {};
            return put(storage, org, aWrite('one', { [trait]: value }, { mode }));
          })
        ).flat();
        const accepted = results.flatMap(result => (typeof result === 'string' ? [] : [result.version]));
        const { entities } = await listPage(subject.storage, org);
        expect(accepted.toSorted((a, b) => a - b)).toEqual(accepted.map((_, n) => n + 1));
        expect(entities.map(({ version }) => version)).toEqual(accepted.length > 0 ? [accepted.length] : []);
        // Only a patch may have found nothing, and only before anything was there.
        const refusals = results.filter(result => typeof result === 'string');
        expect(refusals.every(reason => reason === 'not_found')).toBe(true);
        expect(refusals.length).toBeLessThanOrEqual(writes.filter(({ mode }) => mode === 'patch').length);
      }),
      { numRuns: 25 },
    );
  });

  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const somePairs = fc.uniqueArray(
    fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)).filter(([a, b]) => a !== b),
    { maxLength: 8, selector: ([a, b]) => [a, b].sort().join() },
  );

  /** The classes that these pairs part the names into, each under the name of its first. */
  function classesOf(pairs: readonly (readonly [string, string])[]): Map<string, string> {
    const first = new Map(names.map(name => [name, name]));
    for (let changed = true; changed; ) {
      changed = false;
      for (const [a, b] of pairs) {
        const [one = '', other = ''] = [first.get(a), first.get(b)].sort();
        for (const name of [a, b]) {
          if (first.get(name) !== one) {
            first.set(name, one);
            changed = true;
          }
        }
        if (one !== other) changed = true;
      }
    }
    return first;
  }

  test('same_as is an equivalence: joined in any order alike, and split by a removed link', async () => {
    await fc.assert(
      fc.asyncProperty(somePairs, fc.array(fc.nat(), { maxLength: 3 }), async (pairs, removals) => {
        const org = await orgWith(subject.storage);
        await put(subject.storage, org, ...names.map((name, n) => aWrite(name, { name, [`n${n % 2}`]: n })));
        const check = async (left: readonly (readonly [string, string])[]) => {
          const classes = classesOf(left);
          for (const name of names) {
            const found = await subject.storage.findIdentityMembers(org, customer(name));
            if (found === null) throw new Error(`${name} is gone`);
            const expected = names.filter(other => classes.get(other) === classes.get(name));
            expect(found.members.map(({ externalId }) => externalId)).toEqual(expected);
            // Whichever member is asked, the identity is the same one: what was written last stands.
            expect(mergeIdentity(found).traits.name).toBe(expected.at(-1) ?? '');
          }
        };
        const link = ([from, to]: readonly [string, string]) => ({
          relation: 'same_as',
          from: customer(from),
          to: customer(to),
        });
        await subject.atOnce(pairs.length, (storage, n) => {
          const pair = pairs[n] ?? ['a', 'b'];
          return storage.linkEntities(org, link(n % 2 === 0 ? pair : [pair[1], pair[0]]), NOW);
        });
        await check(pairs);
        let left: readonly (readonly [string, string])[] = pairs;
        for (const removal of removals) {
          const gone = left[removal % Math.max(1, left.length)];
          if (gone === undefined) break;
          expect(await subject.storage.unlinkEntities(org, link([gone[1], gone[0]]))).toBe(true);
          left = left.filter(pair => pair !== gone);
          await check(left);
        }
      }),
      { numRuns: 20 },
    );
  });

  test('cursors neither skip nor repeat a row that did not change', async () => {
    const someChanges = fc.array(
      fc.record({
        // After how many pages, and what.
        page: fc.nat({ max: 6 }),
        what: fc.constantFrom('write', 'new', 'delete'),
        row: fc.nat({ max: 19 }),
      }),
      { maxLength: 10 },
    );
    const someFilters = fc.constantFrom({}, { kind: 'k1' }, { traits: [{ path: ['t'], text: '1' }] });
    await fc.assert(
      fc.asyncProperty(
        someChanges,
        someFilters,
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (changes, filter, limit, isSearchable) => {
          const org = await orgWith(subject.storage, isSearchable ? ['t'] : []);
          const entity = (n: number) => ({ kind: `k${n % 2}`, externalId: `e${n}` });
          await put(
            subject.storage,
            org,
            ...Array.from({ length: 20 }, (_, n) => aWrite(entity(n), { t: n % 3 === 0 ? 0 : 1 })),
          );
          const before = (await listPage(subject.storage, org, filter)).entities;
          const touched = new Set<string>();
          const seen: string[] = [];
          let position: string | null = null;
          let pages = 0;
          do {
            for (const { what, row } of changes.filter(({ page }) => page === pages)) {
              touched.add(`e${row}`);
              if (what === 'delete') await subject.storage.deleteEntity(org, entity(row), null);
              else if (what === 'write')
                await put(subject.storage, org, aWrite(entity(row), { more: pages }));
              else
                await put(subject.storage, org, aWrite({ kind: 'k1', externalId: `new ${row}` }, { t: 1 }));
            }
            const page: EntityPage = await listPage(subject.storage, org, filter, { limit, position });
            seen.push(...page.entities.map(({ externalId }) => externalId));
            position = page.next;
            pages++;
          } while (position !== null && pages < 100);
          const isUntouched = (name: string) => !touched.has(name) && !name.startsWith('new');
          expect(seen.filter(isUntouched)).toEqual(
            before.map(({ externalId }) => externalId).filter(isUntouched),
          );
        },
      ),
      { numRuns: 25 },
    );
  });
}
