import { afterEach, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { slackDestination } from '../../../src/delivery/destinations/slack.ts';
import {
  destinationDeps,
  payloadText,
  prepareFrom,
  refusalOf,
  sampleDelivery,
} from '../../support/delivery.ts';
import { guardedClient } from '../../support/guarded-client.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receiver.ts';

/** A server that takes what Slack takes and refuses what Slack refuses. */

const plainText = z.strictObject({
  type: z.literal('plain_text'),
  text: z.string().min(1).max(150),
  emoji: z.boolean().optional(),
});
const marked = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().min(1).max(2_000),
  verbatim: z.boolean().optional(),
});
const block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plainText }),
  z
    .strictObject({
      type: z.literal('section'),
      text: marked.optional(),
      fields: z.array(marked).min(1).max(10).optional(),
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined),
  z.strictObject({ type: z.literal('context'), elements: z.array(marked).min(1).max(10) }),
]);
const message = z.strictObject({
  text: z.string().min(1).max(40_000),
  blocks: z.array(block).max(50).optional(),
});
const posted = message.extend({ channel: z.string(), unfurl_links: z.boolean(), unfurl_media: z.boolean() });
type Message = z.infer<typeof message>;

function answer(request: ReceivedRequest): Response {
  const body: unknown = JSON.parse(request.body);
  if (request.path === '/services/T0/B0/canary') {
    return message.safeParse(body).success
      ? new Response('ok')
      : new Response('invalid_blocks', { status: 400 });
  }
  if (request.path !== '/api/chat.postMessage') return new Response('no such method', { status: 404 });
  const refuse = (error: string) => Response.json({ ok: false, error });
  if (request.headers.get('authorization') !== 'Bearer xoxb-canary') return refuse('invalid_auth');
  const read = posted.safeParse(body);
  if (!read.success) return refuse('invalid_blocks');
  return read.data.channel === '#gone' ? refuse('channel_not_found') : Response.json({ ok: true, ts: '1.2' });
}

let receiver: Receiver | undefined;
afterEach(async () => receiver?.stop());

const start = (respond = answer): Receiver => {
  receiver = startReceiver(respond);
  return receiver;
};
const hook = ({ port }: Receiver) => ({ url: `http://hooks.slack.test:${port}/services/T0/B0/canary` });
const bot = ({ port }: Receiver, channel = '#orders') => ({
  bot_token: 'xoxb-canary',
  channel,
  base_url: `http://slack.test:${port}/api`,
});
const lastMessage = (at: Receiver): Message => JSON.parse(at.requests.at(-1)?.body ?? '{}') as Message;

describe('Slack', () => {
  test('shows a card: what it is, its facts, and how to find it', async () => {
    const at = start();
    expect(await prepareFrom(slackDestination, hook(at)).send(sampleDelivery())).toMatchObject({
      outcome: 'delivered',
    });
    const { text, blocks = [] } = lastMessage(at);
    expect(blocks[0]).toMatchObject({ type: 'header', text: { text: '🧾 order.paid' } });
    const shown = JSON.stringify(blocks);
    for (const fact of [
      '*severity*\\nhigh',
      '*id*\\n9007199254740993',
      '*customer.email*\\nada@example.com',
      '*amount*\\n42.5',
    ]) {
      expect(shown).toContain(fact);
    }
    expect(blocks.at(-1)).toMatchObject({
      type: 'context',
      elements: [{ text: 'evt_01JZX6C1D2E3F4G5H6J7K8M9NQ · 2026-01-31 12:00:00 UTC · Shop' }],
    });
    expect(text).toStartWith('*🧾 order.paid*\nseverity: high\n');
  });

  test('takes a card of any event', async () => {
    const at = start();
    const destination = prepareFrom(slackDestination, hook(at));
    const wide = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`field ${i}`, '<&>'.repeat(5_000)]),
    );
    for (const payload of [
      {},
      { a: '' },
      wide,
      { deep: { deep: { deep: { deep: { deep: {} } } } } },
      { '\u0001': '\u0002' },
    ]) {
      const delivery = sampleDelivery({ payload: payloadText(payload), labels: {} });
      const event = { ...delivery.event, type: 'x'.repeat(256), icon: null };
      expect(await destination.send({ ...delivery, event })).toMatchObject({ outcome: 'delivered' });
    }
  });

  test('can be made to mention nobody by what is in an event', async () => {
    const at = start();
    await prepareFrom(slackDestination, hook(at)).send(sampleDelivery());
    await prepareFrom(slackDestination, { ...hook(at), text: 'Note: {{payload.note}}' }).send(
      sampleDelivery(),
    );
    await prepareFrom(slackDestination, { ...hook(at), text: '$event.payload.note' }).send(sampleDelivery());
    const sly = sampleDelivery({
      payload: payloadText({
        note: '<!channel> -@channel .@all +@everyone _@here x.@all',
        a: '@',
        b: 'channel',
      }),
    });
    await prepareFrom(slackDestination, hook(at)).send({
      ...sly,
      event: { ...sly.event, type: '.@channel' },
    });
    for (const text of ['{{payload.note}}', '{{payload}} {{payload.a}}{{payload.b}}', '$event.payload'])
      await prepareFrom(slackDestination, { ...hook(at), text }).send(sly);
    for (const { body } of at.requests) {
      expect(body).not.toMatch(/<!|<@|<#/);
      expect(body).not.toMatch(/@(everyone|here|channel|all)/);
      expect(body).toContain('&lt;!channel&gt;');
      expect(body.normalize().replaceAll('\u2060', '')).toContain('@everyone');
    }
  });

  test('shows a text of somebody’s own, whose marks are theirs', async () => {
    const at = start();
    const text =
      '*{{event.type}}* of {{payload.customer.name}}: <https://shop.test/{{payload.id}}|open>{{payload.absent}}';
    await prepareFrom(slackDestination, { ...hook(at), text }).send(sampleDelivery());
    expect(lastMessage(at)).toEqual({
      text: '*order.paid* of &lt;script&gt;alert(1)&lt;/script&gt;: <https://shop.test/9007199254740993|open>',
    });
  });

  test('is spoken to as a bot, in a channel', async () => {
    const at = start();
    expect(await prepareFrom(slackDestination, bot(at)).send(sampleDelivery())).toMatchObject({
      outcome: 'delivered',
      status: 200,
    });
    expect(at.requests[0]?.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(lastMessage(at)).toMatchObject({ channel: '#orders' });
  });

  test('refuses with a 200 all the same', async () => {
    const at = start();
    expect(await prepareFrom(slackDestination, bot(at, '#gone')).send(sampleDelivery())).toMatchObject({
      outcome: 'failed',
      code: 'rejected_by_destination',
      status: 200,
      message: 'Slack refused the message: channel_not_found.',
    });
    const wrong = { ...bot(at), bot_token: 'xoxb-wrong' };
    expect(await prepareFrom(slackDestination, wrong).send(sampleDelivery())).toMatchObject({
      code: 'rejected_by_destination',
    });
  });

  test('may give any reason, and a database can hold it', async () => {
    const at = start(() => Response.json({ ok: false, error: `no\u0000\uD800${'x'.repeat(10_000)}` }));
    const result = await prepareFrom(slackDestination, bot(at)).send(sampleDelivery());
    const message = result.outcome === 'failed' ? result.message : '';
    expect(message).toStartWith('Slack refused the message: no\uFFFD\uFFFDx');
    expect(message.length).toBeLessThan(600);
  });

  test('is believed in nothing but its own answers', async () => {
    const at = start(() => new Response('<html>Welcome to our Wi-Fi</html>'));
    expect(await prepareFrom(slackDestination, bot(at)).send(sampleDelivery())).toMatchObject({
      code: 'bad_response',
    });
  });

  test('is left alone for as long as it asks', async () => {
    const at = start(() => new Response('', { status: 429, headers: { 'retry-after': '30' } }));
    expect(await prepareFrom(slackDestination, bot(at)).send(sampleDelivery())).toMatchObject({
      code: 'bad_status',
      retryAfterMs: 30_000,
    });
  });

  test('has its URL and its token in no record', async () => {
    const at = start();
    const results = [
      await prepareFrom(slackDestination, hook(at)).send(sampleDelivery()),
      await prepareFrom(slackDestination, bot(at)).send(sampleDelivery()),
    ];
    expect(JSON.stringify(results)).not.toContain('canary');
  });

  test('runs its examples', async () => {
    const at = start();
    for (const { config } of slackDestination.examples) {
      const here = 'url' in config ? hook(at) : bot(at);
      expect(
        await prepareFrom(slackDestination, { ...config, ...here }).send(sampleDelivery()),
      ).toMatchObject({
        outcome: 'delivered',
      });
    }
  });

  test('is refused when saved with neither a URL nor a bot, a bad address, or a template that does not read', async () => {
    const deps = destinationDeps({ client: guardedClient({ allow: [], lookup: async () => ['9.9.9.9'] }) });
    const at = async (config: unknown) => (await refusalOf(slackDestination, config, deps))?.at;
    expect(await at({})).toBe('400 config');
    expect(await at({ url: 'https://10.0.0.1/x' })).toBe('400 config.url');
    expect(await at({ bot_token: 'x', channel: '#a', base_url: 'https://localhost/' })).toBe(
      '400 config.base_url',
    );
    expect(await at({ url: 'https://hooks.slack.com/x', text: '{{ payload. }}' })).toBe('400 config.text');
    expect(await at({ url: 'https://hooks.slack.com/x' })).toBeUndefined();
  });
});
