import { expect, test } from 'bun:test';
import type { EntityWrite } from '../../core/entities/write.ts';
import type { EntityWriteRequest, EntityWriteResult, StoredEntity } from '../../core/stores/entities.ts';
import {
  packEntityResults,
  packEntityWrites,
  unpackEntityResults,
  unpackEntityWrites,
} from './pack-entities.ts';

const write = (more: Partial<EntityWrite> = {}): EntityWrite => ({
  kind: 'customer',
  externalId: 'c 1',
  mode: 'replace',
  traits: '{"plan":"pro"}',
  ifMatch: null,
  changed: 1_700_000_000_123_456,
  ...more,
});

const record = {
  id: 'aud_1',
  orgId: 'org_1',
  at: 5,
  actor: 'usr_1',
  action: 'entity.written' as const,
  target: 'customer/c 1',
  address: '192.0.2.7',
  details: { n: 1 },
};

const requests: EntityWriteRequest[] = [
  { orgId: 'org_1', writes: [write()], records: [] },
  {
    orgId: 'org_2',
    writes: [write({ mode: 'patch', ifMatch: '*' }), write({ mode: 'merge', ifMatch: 3, externalId: '*' })],
    records: [record],
  },
  { orgId: 'org_1', writes: [write({ ifMatch: 0 })], records: [] },
];

const stored = (more: Partial<StoredEntity> = {}): StoredEntity => ({
  kind: 'customer',
  externalId: 'c 1',
  traits: '{"plan":"pro"}',
  version: 7,
  createdAt: 1_600_000_000_000,
  updatedAt: 1_700_000_000_123,
  ...more,
});

test('writes are the same on the other side', () => {
  expect(unpackEntityWrites(packEntityWrites(requests))).toEqual(requests);
});

test('results are the same on the other side, with traits that were merged there', () => {
  const results: EntityWriteResult[] = [
    { kind: 'written', entities: [stored()] },
    {
      kind: 'written',
      entities: [
        stored({ traits: '{"plan":"pro","n":1}' }),
        stored({ traits: '{"plan":"pro","n":2}', version: 8, externalId: '*' }),
      ],
    },
    { kind: 'refused', index: 0, reason: 'version_conflict' },
  ];
  expect(unpackEntityResults(requests, packEntityResults(requests, results))).toEqual(results);
});
