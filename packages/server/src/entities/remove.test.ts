import { describe, expect, test } from 'bun:test';
import type { IfMatch } from '../core/entities/write.ts';
import { Problem } from '../core/errors.ts';
import type { AuditEntry } from '../core/stores/configuration/audit.ts';
import type { EntityStore, TimedEntity } from '../core/stores/entities.ts';
import { createEntityRemoval } from './remove.ts';

const entity = { kind: 'customer', externalId: '1' };

/** An entity with so many events, and what was asked of storage, in order. */
function storageWith(events: number, version: number | null) {
  const asked: string[] = [];
  return {
    asked,
    async findEntity(): Promise<TimedEntity | null> {
      asked.push('find');
      const times = { traits: '{}', traitTimes: '{}', createdAt: 0, updatedAt: 0 };
      return version === null ? null : { ...entity, ...times, version };
    },
    audited: (...records: readonly AuditEntry[]) =>
      ({
        async deleteEntity(_org: string, _entity: unknown, ifMatch: IfMatch) {
          asked.push(`delete ${ifMatch}${records.map(({ details }) => ` as ${JSON.stringify(details)}`)}`);
          return version === null ? 'not_found' : 'deleted';
        },
      }) as ReturnType<EntityStore['audited']>,
    async eraseEventsOfEntity(_org: string, _entity: unknown, page: { after: string | null; limit: number }) {
      asked.push(`erase after ${page.after}`);
      const from = page.after === null ? 0 : Number(page.after);
      const erased = Math.min(page.limit, events - from);
      return { erased, dropped: [], cancelled: 0, last: erased < page.limit ? null : String(from + erased) };
    },
  };
}

describe('deleting an entity', () => {
  const clock = { now: () => 1 };
  const record = (erased: number) =>
    erased === 0
      ? null
      : {
          id: 'aud_1',
          orgId: 'org',
          at: 1,
          actor: 'ada',
          action: 'entity.deleted' as const,
          target: 'x',
          address: null,
          details: { erased },
        };

  test('asks for nothing but that', async () => {
    const storage = storageWith(5, 1);
    const remove = createEntityRemoval(storage, clock);
    expect(await remove('org', entity, { ifMatch: 3, eraseEvents: false, record })).toEqual({
      erasedEvents: 0,
    });
    expect(storage.asked).toEqual(['delete 3']);
  });

  test('erases all events in slices first, and deletes last', async () => {
    const storage = storageWith(250, 1);
    const remove = createEntityRemoval(storage, clock);
    expect(await remove('org', entity, { ifMatch: null, eraseEvents: true, record })).toEqual({
      erasedEvents: 250,
    });
    expect(storage.asked).toEqual([
      'find',
      'erase after null',
      'erase after 100',
      'erase after 200',
      'delete null as {"erased":250}',
    ]);
  });

  test('erases nothing of what is not there, or is of another version', async () => {
    for (const [version, code] of [
      [null, 'not_found'],
      [2, 'version_conflict'],
    ] as const) {
      const storage = storageWith(5, version);
      const remove = createEntityRemoval(storage, clock);
      const refused = await remove('org', entity, { ifMatch: 1, eraseEvents: true, record }).catch(
        error => error,
      );
      expect(refused).toBeInstanceOf(Problem);
      expect(refused.code).toBe(code);
      expect(storage.asked).toEqual(['find']);
    }
  });
});
