import { expect, test } from 'bun:test';
import type { ProviderRecord, SourceScheme, TypeFrom } from '@sluice/contract/dashboard-providers';
import type { WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { changesOf } from '../../components/form-baseline/changes.ts';
import { bodyOf, draftOf } from './source-draft.ts';
import { describeType, givenTypeFrom, typeDraftOf } from './type-from-draft.ts';

const source: WebhookSourceRecord = {
  kind: 'webhook',
  id: 'src_1',
  name: 'Hook',
  enabled: true,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  last_event_at: null,
  expect_every_minutes: null,
  auth: 'provider',
  rate: { per_second: 100, burst: 200 },
  url: null,
  token: null,
  previous_secret_until: null,
  provider: 'square',
  signed_url: 'https://old.example/hook',
};
const square = {
  name: 'square',
  fields: { secret: { label: 'Key', hint: '', is_chosen: false }, url: { label: 'URL', hint: '' } },
} as ProviderRecord;

/** What is sent where somebody makes this of the form. */
function sent(record: WebhookSourceRecord, change: (draft: WebhookDraft) => object) {
  const begun = draftOf(record) as WebhookDraft;
  const draft = { ...begun, ...change(begun) };
  return bodyOf(changesOf(begun, draft, begun), square) as Record<string, unknown>;
}
type WebhookDraft = Extract<ReturnType<typeof draftOf>, { kind: 'webhook' }>;

test('a rule for types comes back as it went', () => {
  const rules: TypeFrom[] = [
    { header: 'x-acme-event' },
    // biome-ignore lint/suspicious/noThenProperty: the name on the wire.
    { header: 'x-acme-event', prefix: 'acme.', then: 'payload.action' },
    { path: 'payload.event.type', prefix: 'acme.' },
  ];
  for (const rule of rules) expect(givenTypeFrom(typeDraftOf(rule))).toEqual(rule);
  expect(givenTypeFrom(typeDraftOf(undefined))).toBeNull();
  expect(rules.map(describeType)).toEqual([
    'the header x-acme-event',
    'the header x-acme-event, after “acme.”, then payload.action',
    'payload.event.type, after “acme.”',
  ]);
});

test('of a provider only what changed is sent, and a secret only where somebody typed one', () => {
  expect(sent(source, () => ({ name: 'Other' }))).toEqual({ name: 'Other' });
  const url = 'https://new.example/hook';
  expect(sent(source, ({ keys }) => ({ keys: { ...keys, url } }))).toEqual({ url });
  expect(sent(source, ({ keys }) => ({ keys: { ...keys, url: '' } }))).toEqual({ url: null });
  expect(sent(source, ({ keys }) => ({ keys: { ...keys, secret: 'next' } }))).toEqual({
    url: 'https://old.example/hook',
    secret: 'next',
  });
  expect(sent(source, ({ type }) => ({ type: { ...type, from: 'header', place: 'x-type ' } }))).toEqual({
    type_from: { header: 'x-type' },
  });
});

test('a scheme is sent whole, without what is empty', () => {
  const scheme: SourceScheme = {
    header: 'x-acme',
    algorithm: 'sha256',
    encoding: 'hex',
    signed: '{timestamp}.{body}',
    timestamp_header: 'x-acme-time',
    tolerance_s: 60,
  };
  const { provider: _provider, ...ours } = source;
  const custom: WebhookSourceRecord = { ...ours, auth: 'custom', scheme };
  const changed = sent(custom, draft => ({ scheme: { ...draft.scheme, tolerance_s: '', prefix: 'v1=' } }));
  const { tolerance_s: _tolerance, ...kept } = scheme;
  expect(changed).toEqual({ scheme: { ...kept, prefix: 'v1=' } });
});
