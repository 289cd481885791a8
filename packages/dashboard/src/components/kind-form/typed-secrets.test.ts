import { expect, test } from 'bun:test';
import { withoutTyped } from './typed-secrets.ts';

test('typed secrets are left out, wherever they stand; that one is set is not', () => {
  const secrets = ['token', 'auth.secret', 'model.api_key'];
  const config = {
    url: 'https://example.com',
    token: 'typed',
    auth: { mode: 'hmac', secret: 'typed' },
    model: { api_key: { set: true } },
  };
  expect(withoutTyped(config, { secrets })).toEqual({
    url: 'https://example.com',
    auth: { mode: 'hmac' },
    model: { api_key: { set: true } },
  });
});
