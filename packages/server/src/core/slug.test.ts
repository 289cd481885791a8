import { expect, test } from 'bun:test';
import { freeSlug, slugOf } from './slug.ts';

test.each([
  ['Acme', 'acme'],
  ['Müller & Söhne GmbH', 'muller-sohne-gmbh'],
  ['  --  ', 'organisation'],
  ['日本', 'organisation'],
  ['x'.repeat(100), 'x'.repeat(48)],
  [`${'x'.repeat(47)} y`, 'x'.repeat(47)],
])('%p is addressed as %p', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test('the second of a name has a number', () => {
  expect(freeSlug('Acme', new Set())).toBe('acme');
  expect(freeSlug('ACME!', new Set(['acme', 'acme-2']))).toBe('acme-3');
});
