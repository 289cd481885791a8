import { expect, test } from 'bun:test';
import { outputOf } from '../core/event/output.ts';
import type { EndedAttempt } from '../core/stores/delivery-queue.ts';
import { fullRequest, isAbridged, isOnlyAttempt, keptRequest } from './kept-attempt.ts';

const payload = '{"customer":{"name":"Ada \\"A\\" Lovelace","note":"a\\nb ü"}}';
const repeats = { eventId: 'evt_1', eventType: 'order "x"', output: outputOf(payload) };

const ended = (request: unknown, given: Partial<EndedAttempt['attempt']> = {}): EndedAttempt => ({
  orgId: 'org_1',
  deliveryId: 'dlv_1',
  token: 'token',
  attempt: {
    n: 1,
    at: 5,
    durationMs: 2,
    status: 200,
    code: null,
    message: null,
    request: JSON.stringify(request),
    response: 'ok',
    ...given,
  },
  repeats,
  next: { state: 'delivered' },
});

const headers = {
  'content-type': 'application/json',
  'x-service-event-id': 'evt_1',
  'x-service-delivery-id': 'dlv_1',
  'x-service-attempt': '1',
};
const body = `{"type":${JSON.stringify(repeats.eventType)},"payload":${payload}}`;

const readAgain = (record: EndedAttempt): string =>
  fullRequest(keptRequest(record), { ...repeats, deliveryId: 'dlv_1', n: 1 });

test('a webhook is kept without what is stored anyway, and read as it was sent', () => {
  for (const more of [{}, { 'x-service-signature': 't=1,v1=abc' }, { authorization: 'Bearer …' }]) {
    const record = ended({ target: 'POST https://example.com/$1$&', headers: { ...headers, ...more }, body });
    expect(isAbridged(keptRequest(record))).toBe(true);
    expect(keptRequest(record).length).toBeLessThan(100);
    expect(readAgain(record)).toBe(record.attempt.request);
  }
});

test('so is any other request, whatever it repeats and however often', () => {
  for (const request of [
    { target: 'Inbox', headers: {}, body: payload },
    { target: 'POST https://example.com', headers: {}, body: payload.repeat(3) },
    { target: 'INSERT', headers: { a: 'evt_1 dlv_1' }, body: JSON.stringify(body) },
    { target: '', headers: {}, body: '' },
  ])
    expect(readAgain(ended(request))).toBe(JSON.stringify(request));
});

test('one of which nobody says what it repeats is kept as it is', () => {
  const { repeats: _, ...record } = ended({ target: 'POST https://example.com', headers, body });
  expect(keptRequest(record)).toBe(record.attempt.request);
  expect(isAbridged(record.attempt.request)).toBe(false);
});

test('only the first attempt of a delivery, where that delivers it, is kept with it', () => {
  const first = ended({});
  expect(isOnlyAttempt(first, '{}')).toBe(true);
  expect(isOnlyAttempt(ended({}, { n: 2 }), '{}')).toBe(false);
  expect(isOnlyAttempt({ ...first, next: { state: 'retrying', dueAt: 9 } }, '{}')).toBe(false);
  expect(isOnlyAttempt({ ...first, next: { state: 'dead', code: 'timeout' } }, '{}')).toBe(false);
  expect(isOnlyAttempt(ended({}, { response: 'x'.repeat(4_000) }), '{}')).toBe(false);
  expect(isOnlyAttempt(ended({}, { exchange: '{}' }), '{}')).toBe(false);
});
