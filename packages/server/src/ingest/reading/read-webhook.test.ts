import { expect, test } from 'bun:test';
import { Problem } from '../../core/errors.ts';
import { compileRules } from './body-rules.ts';
import { cloudModeOf } from './cloud-event.ts';
import { createWebhookReader, type WebhookReading } from './read-webhook.ts';

const limits = {
  bodyBytes: 4_096,
  eventBytes: 1_024,
  batchEvents: 10,
  nesting: 8,
  typeLength: 256,
  iconLength: 64,
  idempotencyKeyLength: 255,
};
const read = createWebhookReader(limits);

/** The code of the refusal and its path; null where it is taken. */
function refusalOf(body: string, reading: Partial<WebhookReading>): unknown {
  try {
    read(new TextEncoder().encode(body), {
      media: 'json',
      rules: null,
      typeHeader: null,
      cloud: null,
      ...reading,
    });
    return null;
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.path];
    throw error;
  }
}

const cloudRules = compileRules({ isCloudEvent: true });
const asCloud = (headers: Record<string, string>): Partial<WebhookReading> => ({
  rules: cloudRules,
  cloud: cloudModeOf(new Headers(headers)),
});
const structured = asCloud({ 'content-type': 'application/cloudevents+json' });
const batch = asCloud({ 'content-type': 'application/cloudevents-batch+json' });
const event = { specversion: '1.0', type: 't', source: 's', id: 'i' };

test('a CloudEvent with text that cannot be stored is refused, wherever it stands', () => {
  for (const bad of ['a\0b', '\ud800']) {
    for (const [field, path] of [
      ['type', 'type'],
      ['source', 'source'],
      ['id', 'id'],
      ['subject', 'subject'],
      ['data', 'data'],
    ] as const) {
      const body = { ...event, [field]: bad };
      expect(refusalOf(JSON.stringify(body), structured)).toEqual(['validation_failed', path]);
      expect(refusalOf(JSON.stringify([event, body]), batch)).toEqual(['validation_failed', `[1].${path}`]);
    }
    const named = JSON.stringify({ ...event, [`x${bad}`]: 1 });
    expect(refusalOf(named, structured)).toEqual(['validation_failed', undefined]);
    const deep = JSON.stringify({ ...event, data: { a: [bad] } });
    expect(refusalOf(deep, structured)).toEqual(['validation_failed', 'data.a[0]']);
  }
  expect(refusalOf(JSON.stringify({ ...event, subject: '\ud83d\ude00' }), structured)).toBeNull();
});

test('so is one whose headers say it in escapes', () => {
  const headers = { 'ce-specversion': '1.0', 'ce-type': 't', 'ce-source': 's', 'ce-id': 'i' };
  for (const name of ['type', 'source', 'id', 'subject']) {
    const reading = asCloud({ ...headers, [`ce-${name}`]: 'a%00b' });
    expect(refusalOf('{}', reading)).toEqual(['validation_failed', name]);
  }
  expect(refusalOf('a\0b', { ...asCloud(headers), media: 'text' })).toEqual(['validation_failed', 'data']);
  expect(refusalOf('a=%00', { ...asCloud(headers), media: 'form' })).toEqual(['validation_failed', 'data.a']);
  expect(refusalOf('', asCloud({ ...headers, 'ce-data': 'x' }))).toBeNull();
});

test('the data of a CloudEvent may be nested as deeply as any payload', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  const around = (data: string) => `${JSON.stringify(event).slice(0, -1)},"data":${data}}`;
  expect(refusalOf(around(nested(limits.nesting)), structured)).toBeNull();
  expect(refusalOf(around(nested(limits.nesting + 1)), structured)).toEqual(['validation_failed', 'data']);
});

test('what a rule takes from a body for the type or the delivery is text that can be stored', () => {
  const rules = compileRules({ typeFrom: { path: 'payload.kind' }, deliveryId: ['payload.id'] });
  for (const bad of ['a\0b', '\udc00']) {
    expect(refusalOf(JSON.stringify({ kind: bad }), { rules })).toEqual(['validation_failed', 'kind']);
    expect(refusalOf(JSON.stringify({ id: bad }), { rules })).toEqual(['validation_failed', 'id']);
  }
  expect(refusalOf('kind=a%00b', { rules, media: 'form' })).toEqual(['validation_failed', 'kind']);
  const list = compileRules({ typeFrom: { path: 'payload.kind' }, each: { id: ['payload.id'] } });
  expect(refusalOf('[{"id":"\\u0000"}]', { rules: list })).toEqual(['validation_failed', '[0].id']);
  const wrapped = compileRules({ typeFrom: { path: 'payload.kind' }, formField: 'payload' });
  const form = `payload=${encodeURIComponent('{"kind":"\\ud800"}')}`;
  expect(refusalOf(form, { rules: wrapped, media: 'form' })).toEqual(['validation_failed', 'kind']);
});

test('JSON in a field of a form is held to the size of an event by its bytes', () => {
  const rules = compileRules({ formField: 'payload' });
  const form = (text: string) => `payload=${encodeURIComponent(JSON.stringify({ a: text }))}`;
  const room = limits.eventBytes - JSON.stringify({ a: '' }).length;
  expect(refusalOf(form('é'.repeat(room / 2)), { rules, media: 'form' })).toBeNull();
  expect(refusalOf(form('é'.repeat(room / 2 + 1)), { rules, media: 'form' })).toEqual([
    'payload_too_large',
    undefined,
  ]);
});

test('so is what comes alone where lists may come', () => {
  const rules = compileRules({ each: { id: ['payload.id'] } });
  const body = JSON.stringify({ a: 'x'.repeat(limits.eventBytes) });
  expect(refusalOf(body, { rules })).toEqual(['payload_too_large', undefined]);
});
