import { expect, test } from 'bun:test';
import { createDashboardLinks } from './dashboard-links.ts';
import type { Organisation } from './stores/accounts.ts';

const organisation = (id: string): Organisation => ({
  ...{ id, name: 'Acme', slug: 'acme', retentionDays: null, searchableTraits: [], createdAt: 0 },
});

test('an organisation is looked up once, and known at once from then on', async () => {
  const asked: string[] = [];
  const links = createDashboardLinks('https://sluice.example.com', {
    async findOrganisation(id) {
      asked.push(id);
      return id === 'org_1' ? organisation(id) : null;
    },
  });
  expect(await links.to('org_1', '/events/evt_1')).toBe('https://sluice.example.com/o/acme/events/evt_1');
  expect(links.to('org_1', '/')).toBe('https://sluice.example.com/o/acme');
  expect(await links.to('org_gone', '/')).toBeNull();
  expect(asked).toEqual(['org_1', 'org_gone']);
});

test('while storage is away there is no link, and the message goes out without it', async () => {
  let isAway = true;
  const links = createDashboardLinks('https://sluice.example.com', {
    findOrganisation: async id => (isAway ? Promise.reject(new Error('away')) : organisation(id)),
  });
  expect(await links.to('org_1', '/')).toBeNull();
  isAway = false;
  expect(await links.to('org_1', '/')).toBe('https://sluice.example.com/o/acme');
});

test('without a base URL nobody is asked', () => {
  const links = createDashboardLinks(undefined, {
    findOrganisation: () => Promise.reject(new Error('asked')),
  });
  expect(links.to('org_1', '/')).toBeNull();
});
