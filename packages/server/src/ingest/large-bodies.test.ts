import { expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { systemClock } from '../core/clock.ts';
import { createByteRoom } from '../core/http/byte-room.ts';
import { READ_IN_PLACE_BYTES } from '../core/http/read-body.ts';
import type { AppendRequest } from '../core/stores/journal.ts';
import type { ActivityLog } from './activity.ts';
import { createHttpIngest, type IngestDependencies } from './http-ingest.ts';
import { createHeaderKeeper } from './kept-headers.ts';
import { mailgun } from './providers/mailgun.ts';
import { proofIn } from './providers/registry.ts';
import { createRateLimiter } from './rate.ts';
import { compileRules } from './reading/body-rules.ts';
import { packBatch } from './reading/protocol.ts';
import type { KnownProvider } from './verification/known-provider.ts';
import { createWebhookIngress } from './webhook-ingress.ts';

const limits = {
  bodyBytes: 1024 * 1024,
  eventBytes: 512 * 1024,
  batchEvents: 1_000,
  nesting: 64,
  typeLength: 256,
  iconLength: 64,
  idempotencyKeyLength: 255,
};

/** Both endpoints, with the sizes of what they had read elsewhere, and the events that they accepted. */
function openEndpoints(provider: KnownProvider | null = null) {
  const elsewhere: number[] = [];
  const accepted: AppendRequest[] = [];
  const activity = { keyUsed() {}, sourceSeen() {}, refused() {} } satisfies Partial<ActivityLog>;
  const dependencies: IngestDependencies = {
    directory: {
      organisationOfKey: () => ({ id: 'key_1', orgId: 'org_1' }),
      sourceOfToken: () => ({
        id: 'src_1',
        orgId: 'org_1',
        enabled: true,
        auth: provider === null ? 'none' : 'provider',
        secret: '',
        previous: null,
        rate: { perSecond: 0, burst: 0 },
        provider,
        rules: provider === null ? null : compileRules(provider.preset.body ?? {}),
      }),
      retentionMs: async () => 0,
      invalidate() {},
    },
    activity: activity as unknown as ActivityLog,
    limits,
    room: createByteRoom(limits.bodyBytes * 4),
    clock: systemClock,
    bodyThread: {
      async readBatch(_orgId, bytes) {
        elsewhere.push(bytes.byteLength);
        return { packed: packBatch([{ type: 'read elsewhere' }]), hash: null };
      },
      async readWebhook(_orgId, bytes) {
        elsewhere.push(bytes.byteLength);
        const event = {
          type: 'read elsewhere',
          payload: '{}',
          senderId: null,
          happenedAt: null,
          attributes: null,
        };
        return { events: [event], isList: false, deliveryId: provider === null ? null : 't' };
      },
      async readProof(_orgId, bytes, name) {
        elsewhere.push(bytes.byteLength);
        return proofIn(name, bytes);
      },
    },
    async accept(request) {
      accepted.push(request);
      return { kind: 'stored', events: request.events.map(({ id }) => ({ id, duplicate: false })) };
    },
  };
  return {
    elsewhere,
    types: () => accepted.flatMap(({ events }) => events.map(({ type }) => type)),
    ingest: createHttpIngest(dependencies),
    webhook: createWebhookIngress({
      ...dependencies,
      rate: createRateLimiter(systemClock),
      keepHeaders: createHeaderKeeper([], []),
      keepRefusedHeaders: createHeaderKeeper([], []),
      senderOf: () => '',
      findEventsOfKey: async () => null,
      addressOf: request => request.url,
    }).receive,
  };
}

/** A body of exactly this many bytes. */
const bodyOf = (size: number, [before, after]: readonly [string, string]) =>
  before + 'x'.repeat(size - before.length - after.length) + after;
const batch = ['{"events":[{"type":"in place","payload":{"a":"', '"}}]}'] as const;
const hook = ['{"type":"in place","a":"', '"}'] as const;

const requestOf = (body: string, headers: Record<string, string> = {}) =>
  new Request('http://localhost/', {
    method: 'POST',
    body,
    headers: { Authorization: 'Bearer sk_x', ...headers },
  });

test('a body that takes long to read is read on another thread, and any other where it comes in', async () => {
  const { ingest, webhook, elsewhere, types } = openEndpoints();
  const [small, large] = [READ_IN_PLACE_BYTES, READ_IN_PLACE_BYTES + 1];
  expect((await ingest(requestOf(bodyOf(small, batch)))).status).toBe(202);
  expect((await webhook(requestOf(bodyOf(small, hook)), 'token')).status).toBe(202);
  expect([elsewhere, types()]).toEqual([[], ['in place', 'in place']]);

  expect((await ingest(requestOf(bodyOf(large, batch)))).status).toBe(202);
  expect((await webhook(requestOf(bodyOf(large, hook)), 'token')).status).toBe(202);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  expect((await webhook(requestOf('&'.repeat(large), form), 'token')).status).toBe(202);
  expect(elsewhere).toEqual([large, large, large]);
  expect(types().slice(2)).toEqual(['read elsewhere', 'read elsewhere', 'read elsewhere']);
});

test('what counts is its size once it is decompressed', async () => {
  const { ingest, elsewhere } = openEndpoints();
  const bytes = Bun.gzipSync(bodyOf(READ_IN_PLACE_BYTES + 1, batch));
  expect(bytes.byteLength).toBeLessThan(10_000);
  const request = new Request('http://localhost/', {
    method: 'POST',
    body: bytes,
    headers: { Authorization: 'Bearer sk_x', 'Content-Encoding': 'gzip' },
  });
  expect((await ingest(request)).status).toBe(202);
  expect(elsewhere).toEqual([READ_IN_PLACE_BYTES + 1]);
});

test('a webhook that is too large for an event is refused at once', async () => {
  const { webhook, elsewhere } = openEndpoints();
  const refused = webhook(requestOf(bodyOf(limits.eventBytes + 1, hook)), 'token');
  expect(await refused.catch(error => error.code)).toBe('payload_too_large');
  expect(elsewhere).toEqual([]);
});

test('so is one that holds its own signature, before anybody knows whose it is', async () => {
  const keys = { secrets: ['secret'], publicKey: null, verifyToken: null, verifyWith: 'none' } as const;
  const current = mailgun.prepare(keys, { fetchText: async () => '' });
  const { webhook, elsewhere } = openEndpoints({ preset: mailgun, current, rotating: null, url: null });
  const signed = (secret: string) => {
    const at = Math.floor(Date.now() / 1_000);
    const signature = createHmac('sha256', secret).update(`${at}t`).digest('hex');
    return [`{"signature":{"timestamp":"${at}","token":"t","signature":"${signature}"},"a":"`, '"}'] as const;
  };
  const [small, large] = [READ_IN_PLACE_BYTES, READ_IN_PLACE_BYTES + 1];
  expect((await webhook(requestOf(bodyOf(small, signed('secret'))), 'token')).status).toBe(202);
  expect(elsewhere).toEqual([]);
  expect((await webhook(requestOf(bodyOf(large, signed('secret'))), 'token')).status).toBe(202);
  // Once for its signature, once for its event.
  expect(elsewhere).toEqual([large, large]);
  const forged = webhook(requestOf(bodyOf(large, signed('another'))), 'token');
  expect(await forged.catch(error => error.code)).toBe('unauthenticated');
  expect(elsewhere).toEqual([large, large, large]);
});
