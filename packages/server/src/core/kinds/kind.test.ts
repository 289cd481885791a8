import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { Problem } from '../errors.ts';
import type { JsonObject } from '../json/json.ts';
import {
  defineKind,
  describeKind,
  keepSecrets,
  maskSecrets,
  openSecrets,
  readConfig,
  sealSecrets,
} from './kind.ts';

const kind = defineKind({
  name: 'sample',
  title: 'Sample',
  docs: 'A kind for tests.',
  config: z.strictObject({
    url: z.string(),
    auth: z.strictObject({ secret: z.string().min(3).optional() }).optional(),
    times: z.int().default(3),
  }),
  secrets: ['auth.secret'],
  examples: [{ title: 'Plain', config: { url: 'https://example.com' } }],
});

const problemOf = (work: () => unknown): Problem => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('a kind', () => {
  test('describes itself for forms and pages', () => {
    const described = describeKind(kind);
    expect(described).toMatchObject({ kind: 'sample', title: 'Sample', secrets: ['auth.secret'] });
    expect(described.schema).toMatchObject({
      type: 'object',
      required: ['url'],
      properties: {
        times: { default: 3 },
        auth: { properties: { secret: { type: 'string', writeOnly: true, format: 'password' } } },
      },
    });
    expect(JSON.parse(JSON.stringify(described))).toEqual(described as object);
  });

  test('marks secrets in every branch of a choice', () => {
    const choice = defineKind({
      ...kind,
      config: z.union([z.strictObject({ url: z.string() }), z.strictObject({ token: z.string() })]),
      secrets: ['url', 'token'],
      examples: [],
    });
    const marked = JSON.stringify(describeKind(choice).schema).match(/"writeOnly":true/g);
    expect(marked).toHaveLength(2);
  });

  test('reads a configuration, fills in defaults and names what is wrong', () => {
    expect(readConfig(kind, { url: 'x' }, 'config')).toEqual({ url: 'x', times: 3 });
    expect(
      problemOf(() => readConfig(kind, { url: 'x', auth: { secret: 'a' } }, 'steps[1].config')).path,
    ).toBe('steps[1].config.auth.secret');
    expect(problemOf(() => readConfig(kind, { url: 'x', tiems: 1 }, 'config')).path).toBe('config.tiems');
  });
});

describe('secrets', () => {
  const config: JsonObject = { url: 'x', auth: { secret: 'hush' } };
  const sealed: JsonObject = { url: 'x', auth: { secret: { sealed: 'HUSH' } } };

  test('are sealed at rest and opened to be used', () => {
    expect(sealSecrets(kind, config, secret => secret.toUpperCase())).toEqual(sealed);
    expect(openSecrets(kind, sealed, text => text.toLowerCase())).toEqual(config);
    expect(config.auth).toEqual({ secret: 'hush' });
    expect(sealSecrets(kind, { url: 'x' }, () => 'never')).toEqual({ url: 'x' });
  });

  test('are shown as set, and never themselves', () => {
    const masked = { url: 'x', auth: { secret: { set: true } } };
    expect(maskSecrets(kind, config)).toEqual(masked);
    expect(maskSecrets(kind, sealed)).toEqual(masked);
    expect(maskSecrets(kind, { url: 'x', auth: {} })).toEqual({ url: 'x', auth: {} });
  });

  test('stay where the mask is sent back, and change where something else is', () => {
    const given: JsonObject = { url: 'y', auth: { secret: { set: true } } };
    expect(keepSecrets(kind, given, sealed, 'config')).toEqual({
      url: 'y',
      auth: { secret: { sealed: 'HUSH' } },
    });
    const changed: JsonObject = { url: 'y', auth: { secret: 'new' } };
    expect(keepSecrets(kind, changed, sealed, 'config')).toEqual(changed);
    expect(keepSecrets(kind, { url: 'y' }, sealed, 'config')).toEqual({ url: 'y' });
  });

  test('that were never set cannot be kept', () => {
    const given: JsonObject = { url: 'y', auth: { secret: { set: true } } };
    for (const stored of [null, { url: 'x' }])
      expect(problemOf(() => keepSecrets(kind, given, stored, 'config')).path).toBe('config.auth.secret');
  });
});
