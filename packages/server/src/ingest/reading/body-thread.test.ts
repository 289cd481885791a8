import { afterAll, describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import {
  type HostileBody,
  hostileBatches,
  hostileEntities,
  hostileWebhooks,
} from '../../../test/support/hostile-bodies.ts';
import { createEntityBodyReader } from '../../core/entities/bodies.ts';
import { Problem } from '../../core/errors.ts';
import { startThread } from '../../runtime/thread.ts';
import { hashBody } from '../idempotency.ts';
import { presets, proofIn } from '../providers/registry.ts';
import { createBodyThread } from './body-thread.ts';
import { type FromBodyThread, packBatch, type ToBodyThread } from './protocol.ts';
import { createBatchReader } from './read-batch.ts';
import { createWebhookReader, type WebhookContent, type WebhookReading } from './read-webhook.ts';

const asJson: WebhookReading = { media: 'json', rules: null, typeHeader: null, cloud: null };

const KiB = 1024;
const limits = {
  bodyBytes: 320 * KiB,
  eventBytes: 64 * KiB,
  batchEvents: 1_000,
  nesting: 64,
  typeLength: 256,
  iconLength: 64,
  idempotencyKeyLength: 255,
};

const thread = createBodyThread({
  start: handlers => startThread(new URL('../../body-thread.ts', import.meta.url), handlers),
  limits,
  onError: error => {
    throw error;
  },
});
afterAll(() => thread.stop());

/** What comes out, or the refusal as the sender reads it. */
async function outcomeOf(read: () => unknown): Promise<unknown> {
  try {
    return { read: await read() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { code: error.code, message: error.message, path: error.path };
  }
}

const webhooks = hostileWebhooks(limits.bodyBytes, limits.eventBytes);

const unzipped = ({ body, headers }: HostileBody): Uint8Array =>
  headers?.['Content-Encoding'] === 'gzip' ? gunzipSync(body) : body;

describe('a body is read alike in place and on the thread', () => {
  const readBatch = createBatchReader(limits);
  for (const hostile of hostileBatches(limits.bodyBytes, limits.eventBytes)) {
    test(`in a batch: ${hostile.name}`, async () => {
      const bytes = unzipped(hostile);
      const inPlace = await outcomeOf(() => packBatch(readBatch(bytes)));
      // A copy, since its bytes go over.
      const copy = new Uint8Array(bytes);
      expect(await outcomeOf(async () => (await thread.readBatch('org_1', copy, false)).packed)).toEqual(
        inPlace,
      );
    });
  }

  const readWebhook = createWebhookReader(limits);
  for (const hostile of webhooks) {
    const bytes = unzipped(hostile);
    if (bytes.byteLength > limits.bodyBytes) continue;
    test(`of a webhook: ${hostile.name}`, async () => {
      const media = hostile.headers?.['Content-Type'] === undefined ? 'json' : 'form';
      const how = { ...asJson, media } as const;
      const inPlace = await outcomeOf(() => readWebhook(bytes, how));
      const copy = new Uint8Array(bytes);
      expect(await outcomeOf(() => thread.readWebhook('org_1', copy, how))).toEqual(inPlace);
    });
  }
});

describe('what a signature needs of a body is read alike in place and on the thread', () => {
  for (const { name } of presets.filter(({ proofIn }) => proofIn !== undefined)) {
    test(name, async () => {
      for (const { body } of webhooks) {
        if (body.byteLength > limits.bodyBytes) continue;
        const copy = new Uint8Array(body);
        expect(await thread.readProof('org_1', copy, name)).toEqual(proofIn(name, body));
        // Whoever verified it goes on to read it.
        expect(copy.byteLength).toBe(body.byteLength);
      }
    });
  }

  test('a form of very many names', async () => {
    const names = Array.from({ length: 120_000 }, (_, n) => `${n.toString(36)}=`).join('&');
    const proof = await thread.readProof('org_1', new TextEncoder().encode(names), 'twilio');
    expect(proof.ok && proof.value.fields?.length).toBe(names.replaceAll(/[=&]/g, '').length);
  });
});

describe('a write of entities is read alike in place and on the thread', () => {
  const inPlace = createEntityBodyReader(limits);
  for (const { name, body } of hostileEntities(limits.bodyBytes)) {
    test(name, async () => {
      const copy = () => new Uint8Array(body);
      expect(await outcomeOf(() => thread.readEntities('org_1', copy()))).toEqual(
        await outcomeOf(() => inPlace.entities(body)),
      );
      expect(await outcomeOf(() => thread.readTraits('org_1', copy()))).toEqual(
        await outcomeOf(() => inPlace.traits(body)),
      );
    });
  }

  test('traits by themselves', async () => {
    const traits = `{"n":12345678901234567890,"text":"${'é'.repeat(100_000)}"}`;
    const bytes = new TextEncoder().encode(`{ "traits": ${traits} }`);
    expect(inPlace.traits(bytes)).toBe(traits);
    expect(await thread.readTraits('org_1', bytes)).toBe(traits);
  });
});

test('what is asked for is hashed on the thread, as it came', async () => {
  const text = JSON.stringify({ events: [{ type: 'x', payload: { a: 'é'.repeat(1_000) } }] });
  const bytes = new TextEncoder().encode(text);
  const { hash } = await thread.readBatch('org_1', new Uint8Array(bytes), true);
  expect(hash).toBe(hashBody(bytes));
  expect((await thread.readBatch('org_1', bytes, false)).hash).toBeNull();
});

const read: WebhookContent = { events: [], isList: false, deliveryId: null };

/** A thread that answers each body when it is told to, in the order in which they came. */
function threadOnDemand() {
  const came: ToBodyThread[] = [];
  let handlers: Parameters<Parameters<typeof createBodyThread>[0]['start']>[0] | null = null;
  let started = 0;
  const errors: unknown[] = [];
  const bodies = createBodyThread({
    limits,
    start(given) {
      handlers = given;
      started++;
      return { post: message => void came.push(message), end: () => {} };
    },
    onError: error => errors.push(error),
  });
  const answerAll = async () => {
    const last = () => came.filter(({ kind }) => kind !== 'open').length;
    for (let answered = 0; answered < last(); answered++) {
      const answer: FromBodyThread = { kind: 'webhook', content: read };
      handlers?.onMessage(answer);
      await Promise.resolve();
    }
  };
  return {
    bodies,
    errors,
    answerAll,
    came: () => came.flatMap(message => (message.kind === 'webhook' ? [message.bytes[0]] : [])),
    started: () => started,
    fail: (reason: string) => handlers?.onFailure(reason),
  };
}

const large = (mark: number, size = 1_000) => new Uint8Array(size).fill(mark);

test('organisations take turns, one body at a time', async () => {
  const { bodies, came, answerAll } = threadOnDemand();
  const reading = [1, 2, 3].map(mark => bodies.readWebhook('org_hog', large(mark), asJson));
  reading.push(bodies.readWebhook('org_other', large(9), asJson));
  expect(came()).toEqual([1]);
  await answerAll();
  await Promise.all(reading);
  expect(came()).toEqual([1, 2, 9, 3]);
});

test('an organisation has room for so much at a time, and leaves some to others', async () => {
  const { bodies, answerAll } = threadOnDemand();
  const send = (orgId: string) => bodies.readWebhook(orgId, large(1, limits.bodyBytes), asJson);
  const waiting = Array.from({ length: 8 }, () => send('org_hog'));
  expect(await outcomeOf(() => send('org_hog'))).toMatchObject({ code: 'storage_unavailable' });
  waiting.push(send('org_other'));
  await answerAll();
  await Promise.all(waiting);
  const again = send('org_hog');
  await answerAll();
  expect(await again).toEqual(read);
});

test('a thread that ends is replaced: what it was reading may be sent again, and the rest goes on', async () => {
  const { bodies, answerAll, fail, errors, started } = threadOnDemand();
  const first = outcomeOf(() => bodies.readWebhook('org_1', large(1), asJson));
  const second = bodies.readWebhook('org_1', large(2), asJson);
  fail('out of memory');
  expect(await first).toMatchObject({ code: 'storage_unavailable' });
  expect(String(errors[0])).toContain('out of memory');
  await answerAll();
  expect(await second).toEqual(read);
  expect(started()).toBe(2);
});

test('a stop leaves nobody waiting', async () => {
  const { bodies } = threadOnDemand();
  const reading = [1, 2].map(mark => outcomeOf(() => bodies.readWebhook('org_1', large(mark), asJson)));
  bodies.stop();
  expect(await Promise.all(reading)).toMatchObject([
    { code: 'storage_unavailable' },
    { code: 'storage_unavailable' },
  ]);
});
