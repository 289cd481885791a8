import { expect, test } from 'bun:test';
import { returnPath } from './return-path.ts';

const ours = 'https://sluice.example.com';

test('a login leads back to a page of ours, with its filters', () => {
  expect(returnPath('/events?state=failed#top', ours)).toBe('/events?state=failed#top');
  expect(returnPath('/', ours)).toBe('/');
});

test('a login leads nowhere else, however that is spelt', () => {
  for (const to of [
    undefined,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'events',
    '/login?to=/events',
    '/setup',
  ]) {
    expect(returnPath(to, ours), String(to)).toBe('/');
  }
});
