import { afterEach, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { discordDestination } from '../../../src/delivery/destinations/discord.ts';
import {
  destinationDeps,
  payloadText,
  prepareFrom,
  refusalOf,
  sampleDelivery,
} from '../../support/delivery.ts';
import { guardedClient } from '../../support/guarded-client.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receiver.ts';

/** A server that takes what Discord takes and refuses what Discord refuses. */

const field = z.strictObject({
  name: z.string().min(1).max(256),
  value: z.string().min(1).max(1_024),
  inline: z.boolean().optional(),
});
const embed = z.strictObject({
  title: z.string().max(256),
  color: z.int(),
  fields: z.array(field).max(25),
  footer: z.strictObject({ text: z.string().max(2_048) }),
  timestamp: z.iso.datetime(),
});
const message = z
  .strictObject({
    content: z.string().min(1).max(2_000).optional(),
    embeds: z.array(embed).max(10).optional(),
    allowed_mentions: z.strictObject({ parse: z.array(z.string()) }),
  })
  .refine(({ content, embeds }) => content !== undefined || (embeds ?? []).length > 0)
  .refine(({ embeds = [] }) => sizeOf(embeds) <= 6_000);

const sizeOf = (embeds: z.infer<typeof embed>[]): number =>
  embeds.reduce(
    (size, { title, fields, footer }) =>
      size +
      title.length +
      footer.text.length +
      fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0),
    0,
  );

function answer(request: ReceivedRequest): Response {
  const read = message.safeParse(JSON.parse(request.body));
  if (!read.success) return Response.json({ code: 50035, message: 'Invalid Form Body' }, { status: 400 });
  return request.path.endsWith('?wait=true')
    ? Response.json({ id: '1' })
    : new Response(null, { status: 204 });
}

let receiver: Receiver | undefined;
afterEach(async () => receiver?.stop());

function start(respond = answer) {
  receiver = startReceiver(respond);
  return { at: receiver, url: `http://discord.test:${receiver.port}/api/webhooks/1/canary` };
}

describe('Discord', () => {
  test('shows an embed and is asked to say whether it took it', async () => {
    const { at, url } = start();
    const result = await prepareFrom(discordDestination, { url }).send(sampleDelivery());
    expect(result).toMatchObject({ outcome: 'delivered', status: 200, response: '{"id":"1"}' });
    expect(JSON.stringify(result)).not.toContain('canary');
    expect(at.requests[0]?.path).toBe('/api/webhooks/1/canary?wait=true');
    const { embeds } = JSON.parse(at.requests[0]?.body ?? '') as z.infer<typeof message>;
    expect(embeds?.[0]).toMatchObject({
      title: '🧾 order.paid',
      timestamp: '2026-01-31T12:00:00.000Z',
      footer: {
        text: expect.stringContaining('evt_01JZX6C1D2E3F4G5H6J7K8M9NQ · 2026-01-31 12:00:00 UTC · Shop'),
      },
    });
    expect(embeds?.[0]?.fields).toContainEqual({ name: 'severity', value: 'high', inline: true });
  });

  test('takes an embed of any event', async () => {
    const { url } = start();
    const destination = prepareFrom(discordDestination, { url });
    const wide = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`*_${i}`.repeat(100), '*_~`'.repeat(5_000)]),
    );
    for (const payload of [{}, wide, { '': ' ' }]) {
      const delivery = sampleDelivery({ payload: payloadText(payload) });
      const event = { ...delivery.event, type: '_'.repeat(256) };
      expect(await destination.send({ ...delivery, event, sourceName: 'S'.repeat(500) })).toMatchObject({
        outcome: 'delivered',
      });
    }
  });

  test('mentions nobody and reads no marks into what is in an event', async () => {
    const { at, url } = start();
    await prepareFrom(discordDestination, { url }).send(sampleDelivery());
    await prepareFrom(discordDestination, { url, text: '**Note**: {{payload.note}}' }).send(sampleDelivery());
    await prepareFrom(discordDestination, { url, text: '$event.payload' }).send(sampleDelivery());
    for (const { body } of at.requests) {
      expect(JSON.parse(body)).toMatchObject({ allowed_mentions: { parse: [] } });
      expect(body).toContain('\\\\@everyone');
      expect(body).toContain('\\\\[link\\\\]\\\\(https');
    }
    expect(JSON.parse(at.requests[1]?.body ?? '')).toMatchObject({
      content: expect.stringMatching(/^\*\*Note\*\*: \\</),
    });
  });

  test('is left alone for as long as it asks, to a fraction of a second', async () => {
    const limited = () =>
      Response.json({ retry_after: 1.5 }, { status: 429, headers: { 'retry-after': '1.5' } });
    const { url } = start(limited);
    expect(await prepareFrom(discordDestination, { url }).send(sampleDelivery())).toMatchObject({
      code: 'bad_status',
      retryAfterMs: 1_500,
    });
  });

  test('runs its examples', async () => {
    const { url } = start();
    for (const { config } of discordDestination.examples) {
      expect(await prepareFrom(discordDestination, { ...config, url }).send(sampleDelivery())).toMatchObject({
        outcome: 'delivered',
      });
    }
  });

  test('is refused when saved with an address that may not be reached', async () => {
    const deps = destinationDeps({ client: guardedClient({ allow: [] }) });
    expect(await refusalOf(discordDestination, { url: 'https://[::ffff:10.0.0.1]/' }, deps)).toMatchObject({
      at: '400 config.url',
    });
  });
});
