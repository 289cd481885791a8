import { expect, test } from 'bun:test';
import { createByteRoom } from '../../core/http/byte-room.ts';
import { READ_IN_PLACE_BYTES } from '../../core/http/read-body.ts';
import type { EntityInput } from '../../core/stores/entities.ts';
import { createEntityWrites } from './entities-write.ts';

/** Writes that are read here, and those that are read elsewhere. */
function entityWrites() {
  const elsewhere: [string, number][] = [];
  const written: EntityInput[] = [];
  const writes = createEntityWrites({
    limits: { bodyBytes: 1024 * 1024, nesting: 64 },
    room: createByteRoom(1024 * 1024),
    largeBodies: {
      async readEntities(orgId, { byteLength }) {
        elsewhere.push([orgId, byteLength]);
        return { isMany: false, entities: [{ kind: 'k', externalId: 'elsewhere', traits: '{}' }] };
      },
      async readTraits(orgId, { byteLength }) {
        elsewhere.push([orgId, byteLength]);
        return '{"read":"elsewhere"}';
      },
    },
    actions: {
      async write(_orgId, inputs) {
        written.push(...inputs);
        const entities = inputs.map(({ kind, externalId, traits }) => ({
          kind,
          externalId,
          traits,
          version: 1,
          createdAt: 0,
          updatedAt: 0,
        }));
        return { kind: 'written', entities };
      },
    },
  });
  return { writes, elsewhere, written };
}

/** A body of this size. */
function request(bytes: number, before: string, after: string): Request {
  const body = `${before}${' '.repeat(bytes - before.length - after.length)}${after}`;
  return new Request('http://localhost/v1/entities', { method: 'POST', body });
}

test('a body up to 96 KiB is read where it comes in, and a larger one elsewhere', async () => {
  const { writes, elsewhere, written } = entityWrites();
  const post = (bytes: number) =>
    writes.merge('org_1', request(bytes, '{"kind":"k","external_id":"here"', '}'));
  const put = (bytes: number) =>
    writes.write('org_1', ['k', 'x'], 'replace', request(bytes, '{"traits":{}', '}'));
  await post(READ_IN_PLACE_BYTES);
  await put(READ_IN_PLACE_BYTES);
  expect(elsewhere).toEqual([]);
  await post(READ_IN_PLACE_BYTES + 1);
  await put(READ_IN_PLACE_BYTES + 1);
  expect(elsewhere).toEqual(Array(2).fill(['org_1', READ_IN_PLACE_BYTES + 1]));
  expect(written.map(({ externalId, traits }) => [externalId, traits])).toEqual([
    ['here', '{}'],
    ['x', '{}'],
    ['elsewhere', '{}'],
    ['x', '{"read":"elsewhere"}'],
  ]);
});
