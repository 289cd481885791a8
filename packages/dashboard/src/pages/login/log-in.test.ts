import { expect, test } from 'bun:test';
import { pageWithin } from './log-in.ts';

const ours = 'https://sluice.example.com';

test('a login leads back to a page of ours, with its filters', () => {
  expect(pageWithin('/events?state=failed#top', ours)).toBe('/events?state=failed#top');
  expect(pageWithin('/', ours)).toBe('/');
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
    expect(pageWithin(to, ours), String(to)).toBe('/');
  }
});
