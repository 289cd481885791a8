import { expect, test } from 'bun:test';
import { packEntities, unpackEntities } from './bodies.ts';

test('entities come out of one text as they went in', () => {
  const entity = (externalId: string, traits = '{}') => ({ kind: 'customer', externalId, traits });
  for (const isMany of [true, false]) {
    const entities = [entity('1'), entity(' \u0001 é'), entity('3', '{"a":[1,2],"b":"\\u0000"}')];
    expect(unpackEntities(packEntities({ isMany, entities }))).toEqual({ isMany, entities });
  }
});
