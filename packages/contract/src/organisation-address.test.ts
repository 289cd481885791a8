import { expect, test } from 'bun:test';
import { splitOrganisation, withOrganisation } from './organisation-address.ts';

test.each([
  ['/o/acme/events/evt_1', 'acme', '/events/evt_1'],
  ['/o/acme-2', 'acme-2', '/'],
  ['/o/acme/', 'acme', '/'],
  ['/events', null, '/events'],
  ['/o/ACME/events', null, '/o/ACME/events'],
  ['/o', null, '/o'],
])('%p is of %p, and there %p', (path, slug, rest) => {
  expect(splitOrganisation(path)).toEqual({ slug, rest });
});

test('an address without an organisation stays as it is', () => {
  expect([withOrganisation('acme', '/'), withOrganisation('acme', '/jobs')]).toEqual([
    '/o/acme',
    '/o/acme/jobs',
  ]);
  expect(withOrganisation(null, '/jobs')).toBe('/jobs');
});
