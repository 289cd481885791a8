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

test('one that was typed over another is set as before: left out, it would be removed', () => {
  const secrets = ['password', 'auth.secret', 'token'];
  const before = { password: { set: true }, auth: { mode: 'hmac', secret: { set: true } } };
  const config = { password: 'typed', auth: { mode: 'hmac', secret: 'typed' }, token: 'typed' };
  expect(withoutTyped(config, { secrets }, before)).toEqual(before);
});
