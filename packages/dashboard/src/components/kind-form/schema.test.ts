import { describe, expect, test } from 'bun:test';
import type { ConfigSchema } from '@sluice/contract/dashboard-kinds';
import { askedFields, beginVariant, fieldKindOf, titleOf, variantName, variantOf } from './schema.ts';

const text: ConfigSchema = { type: 'string' };
const secret: ConfigSchema = { type: 'string', writeOnly: true };
const mode = (word: string, more: Record<string, ConfigSchema> = {}): ConfigSchema => ({
  type: 'object',
  properties: { mode: { type: 'string', const: word }, ...more },
});

describe('a field is asked for', () => {
  const fields: [string, ConfigSchema][] = [
    ['secret', secret],
    ['condition', { type: 'string', format: 'cel' }],
    ['text', { type: 'string', maxLength: 256 }],
    ['long text', { type: 'string', maxLength: 10_000 }],
    ['number', { type: 'integer', minimum: 1 }],
    ['flag', { type: 'boolean' }],
    ['choice', { type: 'string', enum: ['none', 'tls'] }],
    ['choices', { type: 'array', items: { type: 'string', enum: ['email', 'phone'] } }],
    ['texts', { type: 'array', items: text }],
    ['numbers', { type: 'array', items: { type: 'number' } }],
    ['pairs', { type: 'object', additionalProperties: { $ref: '#/$defs/__schema0' } }],
    ['variants', { oneOf: [mode('none'), mode('hmac')] }],
    ['group', { type: 'object', properties: { name: text } }],
    ['text', { anyOf: [{ type: 'integer' }, { type: 'string' }] }],
    ['json', { type: 'array', items: { type: 'object', properties: { a: text } } }],
    ['json', {}],
  ];
  for (const [kind, schema] of fields) {
    test(`as ${kind}: ${JSON.stringify(schema)}`, () => expect(fieldKindOf(schema)).toBe(kind as 'text'));
  }

  test('unless it is the word that tells a shape, or the service writes it itself', () => {
    const shape = mode('hmac', { secret, previous_secret: { ...secret, readOnly: true } });
    expect(askedFields(shape).map(([name]) => name)).toEqual(['secret']);
  });

  test('under its title, or its name as people write it', () => {
    expect(titleOf('base_url', { title: 'API address' })).toBe('API address');
    expect(titleOf('retry_s', {})).toBe('Retry s');
  });
});

describe('of several shapes', () => {
  const modes = [mode('none'), mode('bearer', { secret }), mode('hmac', { secret })];
  const ways: ConfigSchema[] = [
    { type: 'object', title: 'Incoming webhook', properties: { url: secret, text } },
    { type: 'object', title: 'Bot', properties: { bot_token: secret, channel: text, text } },
  ];

  test('each is called by its title, or by the word that tells it', () => {
    expect(ways.map(variantName)).toEqual(['Incoming webhook', 'Bot']);
    expect(modes.map(variantName)).toEqual(['none', 'bearer', 'hmac']);
  });

  test('a value has the one whose word it says', () => {
    expect(variantOf(modes, { mode: 'hmac' })).toBe(2);
    expect(variantOf(modes, { mode: 'hmac' }, 1)).toBe(2);
  });

  test('a value has the one that knows its fields, and where several do the one that was picked', () => {
    expect(variantOf(ways, { channel: '#a' })).toBe(1);
    expect(variantOf(ways, { url: { set: true }, text: 'x' }, 1)).toBe(0);
    expect(variantOf(ways, {}, 1)).toBe(1);
    expect(variantOf(ways, { text: 'x' }, 1)).toBe(1);
    expect(variantOf(ways, {})).toBe(0);
  });

  test('another one begins with what both have in common, and never with a secret', () => {
    const [none, bearer, hmac] = modes as [ConfigSchema, ConfigSchema, ConfigSchema];
    expect(beginVariant(hmac, bearer, { mode: 'bearer', secret: { set: true } })).toEqual({ mode: 'hmac' });
    expect(beginVariant(none, hmac, { mode: 'hmac', secret: 'x' })).toEqual({ mode: 'none' });
    const [hook, bot] = ways as [ConfigSchema, ConfigSchema];
    expect(beginVariant(bot, hook, { url: 'https://x', text: 'Hello' })).toEqual({ text: 'Hello' });
  });
});
