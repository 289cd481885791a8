import { afterEach, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { telegramDestination } from '../../../src/delivery/destinations/telegram.ts';
import { payloadText, prepareFrom, refusalOf, sampleDelivery } from '../../support/delivery.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receiver.ts';

/** A server that takes what Telegram's Bot API takes and refuses what it refuses. */

const sendMessage = z.strictObject({
  chat_id: z.union([z.int(), z.string()]),
  text: z.string().min(1),
  parse_mode: z.literal('HTML').optional(),
  link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
});

/** The text without its tags; null where the marks do not fit together. */
function readHtml(html: string): string | null {
  const text = html.replace(/<(b|i)>([^<>]*)<\/\1>/g, '$2');
  if (/[<>]/.test(text) || /&(?!amp;|lt;|gt;|quot;)/.test(text)) return null;
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function answer(request: ReceivedRequest): Response {
  const refuse = (error_code: number, description: string, parameters?: object) =>
    Response.json({ ok: false, error_code, description, parameters }, { status: error_code });
  if (request.path !== '/bot123:canary/sendMessage') return refuse(404, 'Not Found');
  const read = sendMessage.safeParse(JSON.parse(request.body));
  if (!read.success) return refuse(400, 'Bad Request');
  const { chat_id, text, parse_mode } = read.data;
  if (chat_id === -1) return refuse(400, 'Bad Request: chat not found');
  if (chat_id === -2) return refuse(429, 'Too Many Requests: retry after 9', { retry_after: 9 });
  const shown = parse_mode === 'HTML' ? readHtml(text) : text;
  if (shown === null) return refuse(400, "Bad Request: can't parse entities");
  if (shown.length > 4_096) return refuse(400, 'Bad Request: message is too long');
  return Response.json({ ok: true, result: { message_id: 1, text: shown } });
}

let receiver: Receiver | undefined;
afterEach(async () => receiver?.stop());

function start(respond = answer) {
  receiver = startReceiver(respond);
  return {
    at: receiver,
    config: { bot_token: '123:canary', chat_id: 42, base_url: `http://tg.test:${receiver.port}/` },
  };
}

const shownBy = (result: { response: string | null }): string =>
  (JSON.parse(result.response ?? '') as { result: { text: string } }).result.text;

describe('Telegram', () => {
  test('shows a summary', async () => {
    const { config } = start();
    const result = await prepareFrom(telegramDestination, config).send(sampleDelivery());
    expect(result).toMatchObject({ outcome: 'delivered', status: 200 });
    expect(JSON.stringify(result)).not.toContain('canary');
    const lines = shownBy(result).split('\n');
    expect(lines[0]).toBe('🧾 order.paid');
    expect(lines).toContain('severity: high');
    expect(lines).toContain('customer.name: <script>alert(1)</script>');
    expect(lines.at(-1)).toBe('evt_01JZX6C1D2E3F4G5H6J7K8M9NQ · 2026-01-31 12:00:00 UTC · Shop');
  });

  test('takes a summary of any event', async () => {
    const { config } = start();
    const destination = prepareFrom(telegramDestination, config);
    const wide = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`<${i}>`.repeat(100), '<&>'.repeat(5_000)]),
    );
    for (const payload of [{}, wide, { a: '&lt;' }]) {
      const delivery = sampleDelivery({ payload: payloadText(payload) });
      const event = { ...delivery.event, type: '<'.repeat(256), icon: '&'.repeat(64) };
      expect(await destination.send({ ...delivery, event })).toMatchObject({ outcome: 'delivered' });
    }
  });

  test('mentions nobody, in a summary or in a text of somebody’s own', async () => {
    const { at, config } = start();
    const card = await prepareFrom(telegramDestination, config).send(sampleDelivery());
    const text = await prepareFrom(telegramDestination, { ...config, text: '{{payload.note}}' }).send(
      sampleDelivery(),
    );
    const sly = sampleDelivery({
      payload: payloadText({ note: '<!channel> @everyone .@durov -@durov', a: '@', b: 'durov' }),
    });
    const others = ['{{payload.note}} {{payload.a}}{{payload.b}}', '$event.payload'].map(template =>
      prepareFrom(telegramDestination, { ...config, text: template }).send(sly),
    );
    for (const result of [card, text, ...(await Promise.all(others))]) {
      const shown = shownBy(result);
      expect(shown).not.toMatch(/@durov/);
      expect(shown).not.toMatch(/@(everyone|here)/);
      expect(shown).toContain('<!channel> @\u2060everyone');
    }
    expect(JSON.parse(at.requests[1]?.body ?? '')).not.toHaveProperty('parse_mode');
  });

  test('leaves an email address in an event as it is', async () => {
    const { config } = start();
    const result = await prepareFrom(telegramDestination, {
      ...config,
      text: '{{payload.customer.email}}',
    }).send(sampleDelivery());
    expect(shownBy(result)).toBe('ada@example.com');
  });

  test('cuts a text that is too long, and sends something where there is nothing to say', async () => {
    const { config } = start();
    const payload = payloadText({ long: '😀'.repeat(5_000) });
    const long = await prepareFrom(telegramDestination, { ...config, text: '{{payload.long}}' }).send(
      sampleDelivery({ payload }),
    );
    expect(shownBy(long)).toEndWith('😀…');
    const empty = await prepareFrom(telegramDestination, { ...config, text: '{{payload.absent}}' }).send(
      sampleDelivery(),
    );
    expect(empty).toMatchObject({ outcome: 'delivered' });
  });

  test('says why it refuses, and when to come back', async () => {
    const { config } = start();
    expect(
      await prepareFrom(telegramDestination, { ...config, chat_id: -1 }).send(sampleDelivery()),
    ).toMatchObject({
      code: 'bad_status',
      status: 400,
      message: 'Telegram refused the message: Bad Request: chat not found.',
    });
    expect(
      await prepareFrom(telegramDestination, { ...config, chat_id: -2 }).send(sampleDelivery()),
    ).toMatchObject({
      status: 429,
      retryAfterMs: 9_000,
    });
  });

  test('is not believed where a 200 says no, or says nothing', async () => {
    const no = start(() => Response.json({ ok: false, description: 'no' }));
    expect(await prepareFrom(telegramDestination, no.config).send(sampleDelivery())).toMatchObject({
      code: 'rejected_by_destination',
    });
    await no.at.stop();
    const nothing = start(() => new Response('hello'));
    expect(await prepareFrom(telegramDestination, nothing.config).send(sampleDelivery())).toMatchObject({
      code: 'bad_response',
    });
  });

  test('runs its examples', async () => {
    const { config: here } = start();
    for (const { config } of telegramDestination.examples) {
      const { bot_token, base_url } = here;
      const destination = prepareFrom(telegramDestination, { ...config, bot_token, base_url });
      expect(await destination.send(sampleDelivery())).toMatchObject({ outcome: 'delivered' });
    }
  });

  test('is refused when saved with a token that would change the path, or a chat that is none', async () => {
    const at = async (over: object) =>
      (await refusalOf(telegramDestination, { bot_token: '1:a', chat_id: 1, ...over }))?.at;
    expect(await at({ bot_token: '1/../../x' })).toBe('400 config.bot_token');
    expect(await at({ chat_id: 'no chat' })).toBe('400 config.chat_id');
    expect(await at({ base_url: 'https://user@tg.test/' })).toBe('400 config.base_url');
    expect(await at({})).toBeUndefined();
  });
});
