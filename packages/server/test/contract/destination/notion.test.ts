import { afterEach, describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { notionDestination } from '../../../src/delivery/destinations/notion.ts';
import { payloadText, prepareFrom, refusalOf, sampleDelivery } from '../../support/delivery.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receiver.ts';

/** A server that takes what Notion's pages API takes and refuses what it refuses. */

const richText = z
  .array(
    z.strictObject({ type: z.literal('text'), text: z.strictObject({ content: z.string().max(2_000) }) }),
  )
  .max(100);
const option = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[^,]*$/),
});
const property = z.union([
  z.strictObject({ title: richText }),
  z.strictObject({ rich_text: richText }),
  z.strictObject({ number: z.number().nullable() }),
  z.strictObject({ checkbox: z.boolean() }),
  z.strictObject({ select: option.nullable() }),
  z.strictObject({ status: option }),
  z.strictObject({ multi_select: z.array(option) }),
  z.strictObject({ date: z.strictObject({ start: z.iso.datetime() }) }),
  z.strictObject({ url: z.string() }),
  z.strictObject({ email: z.string() }),
  z.strictObject({ relation: z.array(z.strictObject({ id: z.string() })) }),
]);
const page = z.strictObject({
  parent: z.strictObject({ database_id: z.string() }),
  properties: z
    .record(z.string(), property)
    .refine(properties => Object.values(properties).filter(value => 'title' in value).length === 1),
  children: z
    .array(
      z.strictObject({
        object: z.literal('block'),
        type: z.literal('code'),
        code: z.strictObject({ language: z.literal('json'), rich_text: richText }),
      }),
    )
    .max(100),
});
type Page = z.infer<typeof page>;

function answer(request: ReceivedRequest): Response {
  const refuse = (status: number, code: string, message: string) =>
    Response.json({ object: 'error', status, code, message }, { status });
  if (request.path !== '/v1/pages') return refuse(400, 'invalid_request_url', 'Invalid request URL.');
  if (request.headers.get('authorization') !== 'Bearer ntn_canary')
    return refuse(401, 'unauthorized', 'Token is invalid.');
  if (request.headers.get('notion-version') !== '2022-06-28')
    return refuse(400, 'missing_version', 'Notion-Version is missing.');
  const read = page.safeParse(JSON.parse(request.body));
  if (!read.success) return refuse(400, 'validation_error', z.prettifyError(read.error));
  return Response.json({ object: 'page', id: '1' });
}

let receiver: Receiver | undefined;
afterEach(async () => receiver?.stop());

function start() {
  receiver = startReceiver(answer);
  const here = { token: 'ntn_canary', base_url: `http://notion.test:${receiver.port}` };
  return { at: receiver, here, config: { ...here, database_id: 'd9824bdc84454327be8b5b47500af6ce' } };
}

const lastPage = (at: Receiver): Page => JSON.parse(at.requests.at(-1)?.body ?? '{}') as Page;
const textOf = (parts: z.infer<typeof richText>): string => parts.map(({ text }) => text.content).join('');

describe('Notion', () => {
  test('gets a page named after the event, with the payload as a code block', async () => {
    const { at, config } = start();
    const result = await prepareFrom(notionDestination, config).send(sampleDelivery());
    expect(result).toMatchObject({ outcome: 'delivered', status: 200 });
    expect(JSON.stringify(result)).not.toContain('canary');
    const { parent, properties, children } = lastPage(at);
    expect(parent).toEqual({ database_id: 'd9824bdc84454327be8b5b47500af6ce' });
    expect(properties).toEqual({ title: { title: [{ type: 'text', text: { content: '🧾 order.paid' } }] } });
    const code = textOf(children[0]?.code.rich_text ?? []);
    expect(code).toContain('\n  "id": 9007199254740993,\n');
  });

  test('gets each property as its type wants it', async () => {
    const { at, config } = start();
    const properties = {
      Name: '{{event.icon}} {{payload.id}}',
      Amount: '$event.payload.amount',
      Paid: '$event.payload.isPaid',
      Note: '$event.payload.note',
      Severity: { select: '$event.labels.severity' },
      Tags: { multi_select: '$event.payload.tags' },
      When: { date: '$event.timestamp' },
      Mail: { email: '$event.payload.customer.email' },
      Count: { number: '{{size(payload.items)}}' },
      Raw: { rich_text: '$event.payload.customer' },
      Missing: '$event.payload.absent',
      Ready: { relation: [{ id: '{{payload.customer.email}}' }] },
    };
    expect(
      await prepareFrom(notionDestination, { ...config, properties }).send(sampleDelivery()),
    ).toMatchObject({
      outcome: 'delivered',
    });
    const text = (content: string) => [{ type: 'text', text: { content } }];
    expect(lastPage(at).properties).toEqual({
      Name: { title: text('🧾 9007199254740993') as never },
      Amount: { number: 42.5 },
      Paid: { checkbox: true },
      Note: {
        rich_text: text(
          '<!channel> @everyone @here <@U123> & *bold* _it_ `code` [link](https://evil.test)',
        ) as never,
      },
      Severity: { select: { name: 'high' } },
      Tags: { multi_select: [{ name: 'new' }, { name: 'vip' }] },
      When: { date: { start: '2026-01-31T12:00:00.000Z' } },
      Mail: { email: 'ada@example.com' },
      Count: { number: 2 },
      Raw: { rich_text: text('{"email":"ada@example.com","name":"<script>alert(1)</script>"}') as never },
      Ready: { relation: [{ id: 'ada@example.com' }] },
    });
  });

  test('gets a long payload in parts, cut between characters, and a huge one cut short', async () => {
    const { at, config } = start();
    const destination = prepareFrom(notionDestination, config);
    const long = payloadText({ text: `a${'😀'.repeat(10_000)}` });
    expect(await destination.send(sampleDelivery({ payload: long }))).toMatchObject({ outcome: 'delivered' });
    expect(JSON.parse(textOf(lastPage(at).children[0]?.code.rich_text ?? []))).toEqual(JSON.parse(long));
    const huge = payloadText({ text: 'x'.repeat(1_000_000) });
    expect(await destination.send(sampleDelivery({ payload: huge }))).toMatchObject({ outcome: 'delivered' });
    expect(textOf(lastPage(at).children[0]?.code.rich_text ?? [])).toEndWith('x\n…');
  });

  test('says why it refuses', async () => {
    const { config } = start();
    const wrong = await prepareFrom(notionDestination, { ...config, token: 'ntn_wrong' }).send(
      sampleDelivery(),
    );
    expect(wrong).toMatchObject({
      code: 'bad_status',
      status: 401,
      response: expect.stringContaining('Token is invalid.'),
    });
  });

  test('runs its examples', async () => {
    const { here } = start();
    for (const { config } of notionDestination.examples) {
      expect(
        await prepareFrom(notionDestination, { ...config, ...here }).send(sampleDelivery()),
      ).toMatchObject({
        outcome: 'delivered',
      });
    }
  });

  test('is refused when saved without a database, or with a property that does not read', async () => {
    const at = async (over: object) =>
      (
        await refusalOf(notionDestination, {
          token: 't',
          database_id: 'd9824bdc84454327be8b5b47500af6ce',
          ...over,
        })
      )?.at;
    expect(await at({ database_id: '../x' })).toBe('400 config.database_id');
    expect(await at({ properties: { Name: { title: '$event.nothing' } } })).toBe(
      '400 config.properties.Name.title',
    );
    expect(await at({ token: 'a\nb' })).toBe('400 config.token');
    expect(await at({})).toBeUndefined();
  });
});
