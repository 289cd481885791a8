import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AppendRequest, AppendResult } from '../../core/stores/journal.ts';
import { allResults, packAppend, toFailure, uncommonOf, unpackAppend } from './protocol.ts';

/** Text as the ingest endpoints accept it: anything but NUL. */
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 8 })
  .map(given => `${given.replaceAll('\0', '')}.`);
const time = fc.integer({ min: -(2 ** 45), max: 2 ** 45 });
const event = fc.record({
  id: text,
  type: text,
  icon: fc.option(fc.oneof(fc.constant(''), text)),
  payload: text,
  senderId: fc.option(text),
  entityKind: fc.option(text),
  entityExternalId: fc.option(text),
  happenedAt: time,
});
const source = fc.record({ id: text, name: text });
const plainRequest = fc.record({
  orgId: text,
  sourceId: fc.option(text),
  receivedAt: time,
  idempotency: fc.option(fc.record({ scope: text, key: text, bodyHash: fc.option(text), expiresAt: time })),
  events: fc.array(event, { minLength: 1, maxLength: 4 }),
});
const beginning = fc.oneof(
  fc.constant({}),
  fc.record({ claimToken: text }),
  fc.record({ unrouted: fc.record({ matchedSources: fc.array(fc.option(fc.array(source))) }) }),
);
const request: fc.Arbitrary<AppendRequest> = fc
  .tuple(plainRequest, beginning)
  .map(([plain, how]) => ({ ...plain, ...how }));

test('appends arrive at the writer as they left the main thread', () => {
  fc.assert(
    fc.property(fc.nat(), fc.array(request, { maxLength: 5 }), (id, requests) => {
      expect(unpackAppend(packAppend(id, requests))).toEqual({ id, requests });
    }),
  );
});

test('a NUL in any text of a sender begins no other field, event or request', () => {
  const forged = 'a\0org_of_another\0\x001\0\0\0\x001\0evt_forged\0t\0\0{}\0\0\0\x001\0';
  const all: AppendRequest = {
    orgId: 'org',
    sourceId: null,
    receivedAt: 1,
    idempotency: { scope: 'source', key: forged, bodyHash: null, expiresAt: 2 },
    events: [
      {
        id: 'evt',
        type: forged,
        icon: forged,
        payload: forged,
        senderId: forged,
        entityKind: forged,
        entityExternalId: forged,
        happenedAt: 1,
        headers: forged,
      },
    ],
  };
  const unpacked = unpackAppend(packAppend(1, [all]));
  const safe = JSON.parse(JSON.stringify(all).replaceAll('\\u0000', '\u{FFFD}')) as AppendRequest;
  expect(unpacked).toEqual({ id: 1, requests: [safe] });
});

test('results arrive at the main thread as the writer made them', () => {
  const result = (sent: AppendRequest): fc.Arbitrary<AppendResult> =>
    fc.oneof(
      fc.constant<AppendResult>({ kind: 'conflict' }),
      fc.constant<AppendResult>({
        kind: 'stored',
        events: sent.events.map(({ id }) => ({ id, duplicate: false })),
      }),
      fc.boolean().map(
        (duplicate): AppendResult => ({
          kind: 'stored',
          events: sent.events.map(({ id }, i) =>
            i === 0 ? { id: 'first', duplicate: true } : { id, duplicate },
          ),
        }),
      ),
    );
  const pairs = fc
    .array(request, { minLength: 1, maxLength: 5 })
    .chain(requests => fc.tuple(fc.constant(requests), fc.tuple(...requests.map(result))));
  fc.assert(
    fc.property(pairs, ([requests, results]) => {
      expect(allResults(requests, uncommonOf(requests, results))).toEqual(results);
    }),
  );
});

const faults: [string, 'full' | 'fatal' | 'refused'][] = [
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR_SHMSIZE', 'full'],
  ['SQLITE_IOERR_FSYNC', 'fatal'],
  ['SQLITE_IOERR_WRITE', 'fatal'],
  ['SQLITE_CORRUPT', 'fatal'],
  ['SQLITE_CORRUPT_INDEX', 'fatal'],
  ['SQLITE_NOTADB', 'fatal'],
  ['SQLITE_CONSTRAINT_UNIQUE', 'refused'],
  ['SQLITE_BUSY', 'full'],
];
for (const [code, kind] of faults) {
  test(`${code} is ${kind}`, () => {
    expect(toFailure(Object.assign(new Error('x'), { code })).kind).toBe(kind);
  });
}
