import { describe, expect, test } from 'bun:test';
import { Problem } from '../../core/errors.ts';
import { placeOf, readEntity, readLink } from './entities-path.ts';

const at = (path: string) => placeOf(new Request(`http://localhost${path}`), '/v1/entities');
const problemOf = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    if (error instanceof Problem) return [error.status, error.path];
  }
  return null;
};

describe('a path below the entities', () => {
  test('names a place, or nothing', () => {
    expect(at('/v1/entities')?.kind).toBe('all');
    expect(at('/v1/entities?x=/a/b')?.kind).toBe('all');
    expect(at('/v1/entities/customer/1')?.kind).toBe('one');
    expect(at('/v1/entities/customer/1/links')?.kind).toBe('links');
    expect(at('/v1/entities/customer/1/graph')?.kind).toBe('graph');
    expect(at('/v1/entities/customer/1/links/same_as/customer/2')?.kind).toBe('link');
    for (const path of [
      '/v1/entities/',
      '/v1/entities/customer',
      '/v1/entities/customer/1/nothing',
      '/v1/entities/customer/1/links/',
      '/v1/entities/customer/1/links/same_as',
      '/v1/entities/customer/1/links/same_as/customer/2/x',
      '/v1/entities/customer/1/graph/same_as/customer/2',
    ]) {
      expect([path, at(path)]).toEqual([path, null]);
    }
  });

  test('keeps an external id exactly as it was encoded', () => {
    for (const id of ['../x', 'a/b', '%2F', '%', 'é😀', ' ', 'a+b', '?#&', '\\', "'", '...', '.a', 'links']) {
      const place = at(`/v1/entities/customer/${encodeURIComponent(id)}`);
      expect(readEntity(place?.segments ?? [])).toEqual({ kind: 'customer', externalId: id });
    }
  });

  test('says which name cannot be', () => {
    const read = (path: string) => problemOf(() => readEntity(at(path)?.segments ?? []));
    expect(read('/v1/entities//x')).toEqual([400, 'kind']);
    expect(read('/v1/entities/Customer/x')).toEqual([400, 'kind']);
    expect(read(`/v1/entities/${'k'.repeat(65)}/x`)).toEqual([400, 'kind']);
    expect(read('/v1/entities/customer/')).toEqual([400, 'external_id']);
    expect(read(`/v1/entities/customer/${'x'.repeat(257)}`)).toEqual([400, 'external_id']);
    expect(read('/v1/entities/customer/a%00b')).toEqual([400, 'external_id']);
    expect(read('/v1/entities/customer/%zz')).toEqual([400, 'external_id']);
    expect(read('/v1/entities/customer/%ff')).toEqual([400, 'external_id']);
    expect(read(`/v1/entities/customer/${encodeURIComponent('😀'.repeat(256))}`)).toBeNull();
  });

  test('names both ends of a link, which are two', () => {
    const read = (path: string) => readLink(at(`/v1/entities/customer/1/links/${path}`)?.segments ?? []);
    expect(read('same_as/company/a%2Fb')).toEqual({
      relation: 'same_as',
      from: { kind: 'customer', externalId: '1' },
      to: { kind: 'company', externalId: 'a/b' },
    });
    expect(problemOf(() => read('Same/company/1'))).toEqual([400, 'relation']);
    expect(problemOf(() => read('same_as/Company/1'))).toEqual([400, 'to.kind']);
    expect(problemOf(() => read('same_as/company/%01'))).toEqual([400, 'to.external_id']);
    expect(problemOf(() => read('knows/customer/1'))).toEqual([400, 'to.external_id']);
  });
});
