import { z } from 'zod';
import { compileTemplate } from '../../core/expressions/template.ts';
import { type Json, type JsonObject, parseJson, stringifyJson } from '../../core/json/json.ts';
import { type Composer, type Destination, defineDestination } from '../destination.ts';
import { baseUrlField, joinUrl, tokenField } from '../fields.ts';
import { post } from '../post.ts';
import { cardOf } from '../rendering/card.ts';
import { type Rendered, tooMuch, unsent } from '../rendering/message.ts';

const VENDOR = 'https://api.notion.com';
const NOTION_VERSION = '2022-06-28';

const config = z.strictObject({
  token: tokenField.meta({ title: 'Integration token' }),
  database_id: z
    .string()
    .regex(/^[0-9a-fA-F-]{32,36}$/, 'must be the 32 characters of the database’s address.')
    .meta({ title: 'Database' }),
  properties: z.record(z.string().min(1), z.json()).optional().meta({
    title: 'Properties',
    description:
      'What goes into each property of the page. `"$event.payload.amount"` alone becomes a title, number, checkbox or text; `{"select": "$event.labels.severity"}` names the type.',
  }),
  base_url: baseUrlField(VENDOR),
});

/** A page in a Notion database. */
export const notionDestination = defineDestination({
  name: 'notion',
  title: 'Notion',
  docs: [
    'Creates a page in a database for each event, with the payload as a code block.',
    'Share the database with your integration first. Each property takes a value of the event; where the type',
    'cannot be told from the value, name it: `title`, `rich_text`, `number`, `select`, `multi_select`, `status`,',
    '`date`, `checkbox`, `url`, `email`, `phone_number`. Without a title property the page is named after the event.',
  ].join('\n'),
  config,
  secrets: ['token'],
  examples: [
    {
      title: 'Named after the event',
      config: { token: 'ntn_0123', database_id: 'd9824bdc84454327be8b5b47500af6ce' },
    },
    {
      title: 'Mapped',
      config: {
        token: 'ntn_0123',
        database_id: 'd9824bdc84454327be8b5b47500af6ce',
        properties: {
          Name: '{{event.icon}} {{event.type}}',
          Amount: '$event.payload.amount',
          Severity: { select: '$event.labels.severity' },
          When: { date: '$event.timestamp' },
        },
      },
    },
  ],
  check: ({ base_url }, { client }) => client.requireUsableUrl(base_url ?? VENDOR, 'config.base_url'),

  composer: composePage,

  prepare(given, { client, clock, renderer }): Destination {
    const { token, base_url } = given;
    const recipe = { kind: 'notion', config: given, composer: composePage(given) };
    const url = joinUrl(base_url ?? VENDOR, '/v1/pages');
    const plain = { 'content-type': 'application/json', 'notion-version': NOTION_VERSION };
    const envelope = {
      url,
      headers: { ...plain, authorization: `Bearer ${token}` },
      shownHeaders: { ...plain, authorization: 'Bearer …' },
    };
    return {
      readsTraits: recipe.composer.readsTraits,
      readsLink: true,
      async send(delivery) {
        const page = await renderer.render(delivery, recipe);
        if (page.kind === 'failed') return unsent(`POST ${url}`, page.failure);
        const { timeoutMs, isTest, isStillWanted } = delivery;
        const request = { ...envelope, body: page.value, timeoutMs, isTest, isStillWanted };
        return post(request, { http: client, clock });
      },
    };
  },
});

function composePage({ database_id, properties = {} }: z.output<typeof config>): Composer<Rendered<string>> {
  const template = compileTemplate(properties as JsonObject, 'config.properties');
  return {
    readsTraits: template.readsTraits,
    check: template.check,
    compose(delivery, scope, budget) {
      const resolved = template.resolve(scope, budget);
      if (resolved.kind === 'over_budget') return { kind: 'failed', failure: tooMuch(resolved.reason) };
      const page = {
        parent: { database_id },
        properties: withTitle(asProperties((resolved.value ?? {}) as JsonObject), cardOf(scope).title),
        children: [payloadBlock(delivery.payload)],
      };
      return { kind: 'rendered', value: stringifyJson(page) };
    },
  };
}

// --- Properties ------------------------------------------------------------------------------------------

const asProperties = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asProperty(name, value)]));

const isTitleName = (name: string): boolean => /^(name|title)$/i.test(name);

function asProperty(name: string, value: Json): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([type, inner]) => [type, asTyped(type, inner)]));
  }
  if (isTitleName(name)) return { title: richText(printed(value)) };
  if (typeof value === 'number' || typeof value === 'bigint') return { number: value };
  if (typeof value === 'boolean') return { checkbox: value };
  return { rich_text: richText(printed(value)) };
}

/** What is already as Notion wants it stays as it is; so does what is of a type that we do not know. */
function asTyped(type: string, value: Json): Json {
  if (value === null) return null;
  switch (type) {
    case 'title':
    case 'rich_text':
      return Array.isArray(value) && isObjects(value) ? value : richText(printed(value));
    case 'number':
      return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    case 'checkbox':
      return value === true || value === 'true';
    case 'select':
    case 'status':
      return typeof value === 'object' ? value : { name: optionName(value) };
    case 'multi_select':
      return (Array.isArray(value) ? value : [value]).map(item =>
        typeof item === 'object' ? item : { name: optionName(item) },
      );
    case 'date':
      return typeof value === 'object' ? value : { start: printed(value) };
    case 'url':
    case 'email':
    case 'phone_number':
      return printed(value);
    default:
      return value;
  }
}

const isObjects = (list: readonly Json[]): boolean =>
  list.length > 0 && list.every(item => typeof item === 'object');

const printed = (value: Json): string => (typeof value === 'string' ? value : stringifyJson(value));

/** An option's name has no commas and a hundred characters at most. */
const optionName = (value: Json): string => printed(value).replaceAll(',', ' ').slice(0, 100);

/** The title property of every database answers to the id `title`, whatever it is called. */
const withTitle = (properties: JsonObject, title: string): JsonObject =>
  Object.values(properties).some(value => typeof value === 'object' && value !== null && 'title' in value)
    ? properties
    : { title: { title: richText(title) }, ...properties };

// --- Texts -----------------------------------------------------------------------------------------------

/** One text holds 2,000 characters, one list of texts a hundred of them. */
const MOST_CHARACTERS = 2_000;
const MOST_PARTS = 100;

function richText(text: string): Json[] {
  const parts: Json[] = [];
  for (let at = 0; at < text.length && parts.length < MOST_PARTS; ) {
    let end = Math.min(at + MOST_CHARACTERS, text.length);
    // Half a character would be refused.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end--;
    parts.push({ type: 'text', text: { content: text.slice(at, end) } });
    at = end;
  }
  return parts;
}

const MOST_SHOWN = MOST_CHARACTERS * (MOST_PARTS - 1);

function payloadBlock(payload: string): JsonObject {
  const pretty = prettyJson(payload);
  const shown = pretty.length > MOST_SHOWN ? `${pretty.slice(0, MOST_SHOWN)}\n…` : pretty;
  return { object: 'block', type: 'code', code: { language: 'json', rich_text: richText(shown) } };
}

function prettyJson(payload: string): string {
  return payload.length > MOST_SHOWN ? payload : stringifyJson(parseJson(payload), 2);
}
