import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { OrganisationRecord } from '@sluice/contract/dashboard-accounts';
import type { AuditRecord } from '@sluice/contract/dashboard-audit';
import type { Browser as Chromium, Page } from 'playwright-core';
import { anAuditEntry, idAt } from '../contract/storage/samples.ts';
import {
  accessibilityFaults,
  launchChromium,
  leave,
  rowOf,
  type Visit,
  visit,
} from '../support/browser-page.ts';
import { type Browser, dataOf, join, listOf, logIn, PASSWORD, setUp } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let chromium: Chromium;
let owner: Browser;
let admin: Browser;
let viewer: Browser;
beforeAll(async () => {
  [service, chromium] = await Promise.all([startTestService(), launchChromium()]);
  owner = await setUp(service);
  admin = await join(service.url, owner, 'admin@example.com', 'admin');
  viewer = await join(service.url, owner, 'viewer@example.com', 'viewer');
});
afterAll(async () => {
  await chromium.close();
  await service.stop();
});

const sections = [
  'keys',
  'members',
  'organisations',
  'retention',
  'alerts',
  'configuration',
  'audit',
  'health',
];

async function open(path: string, as?: Browser, colours: 'light' | 'dark' = 'light'): Promise<Visit> {
  const visited = await visit(chromium, service.url, path, { ...(as ? { as } : {}), colours });
  await visited.page.getByRole('heading', { level: 1 }).waitFor();
  await settled(visited.page);
  return visited;
}

const settled = (page: Page) =>
  page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);

/** The button that says who one is, and in which organisation. */
const accountOf = (page: Page) => (organisation: string) =>
  page.getByRole('navigation').getByRole('button', { name: new RegExp(`${organisation}.*@example.com`) });

const ingest = (key: string) =>
  fetch(`${service.url}/v1/ingest`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{"events":[{"type":"settings.test"}]}',
  });

test('a key is shown this once, shows when it was used, and is refused from the moment it is revoked', async () => {
  const { page, faults } = await open('/settings/keys', owner);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Enter a name, to tell keys apart.').waitFor();
  await page.getByLabel('Name of the key').fill('shop');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Copy this key now').waitFor();
  const key = /sk_[\w-]{20,}/.exec(await page.getByRole('alert').innerText())?.[0] ?? '';
  expect(await page.locator('pre').innerText()).toContain(`Authorization: Bearer ${key}`);
  await page.setViewportSize({ width: 390, height: 844 });
  const copy = await page.getByRole('button', { name: 'Copy key' }).boundingBox();
  expect((copy?.x ?? 390) + (copy?.width ?? 0)).toBeLessThan(390);
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.reload();
  await rowOf(page, 'shop').waitFor();
  expect(await page.content()).not.toContain(key);
  expect(await rowOf(page, 'shop').innerText()).toContain(key.slice(0, 10));
  await rowOf(page, 'shop').getByText('never').waitFor();
  expect((await ingest(key)).status).toBe(202);
  // As it happens, without a reload.
  await rowOf(page, 'shop').getByText('never').waitFor({ state: 'detached' });

  await rowOf(page, 'shop').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await rowOf(page, 'shop').getByText('revoked').waitFor();
  expect((await ingest(key)).status).toBe(401);
  expect(await rowOf(page, 'shop').getByRole('button').count()).toBe(0);
  expect(faults).toEqual([]);
  await leave(page);
});

test('an invitation is accepted in another browser, and what the new member may do changes at once', async () => {
  const { page } = await open('/settings/members', owner);
  await page.getByLabel('Email').fill('grace@example.com');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  const link = await page.getByText('/invitations/').innerText();
  await rowOf(page, 'grace@example.com').getByText('invited').waitFor();

  const guest = await open(new URL(link).pathname, undefined, 'dark');
  await guest.page.getByRole('heading', { name: 'Join Acme' }).waitFor();
  expect(await accessibilityFaults(guest.page)).toEqual([]);
  await guest.page.getByRole('textbox', { name: 'Password' }).fill('short');
  await guest.page.getByRole('button', { name: 'Join Acme' }).click();
  await guest.page.getByText('Must have 8 to 1024 characters').waitFor();
  await guest.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await guest.page.getByRole('button', { name: 'Join Acme' }).click();
  await guest.page.getByRole('button', { name: /grace@example.com/ }).waitFor();

  // The owner's page has turned by itself.
  await page.getByRole('combobox', { name: 'Role of grace@example.com' }).click();
  await page.getByRole('option', { name: 'admin' }).click();
  await until(
    async () =>
      dataOf<{ role: string }>(await (await logIn(service.url, 'grace@example.com')).get('/session')).role ===
      'admin',
    'the role has not changed',
  );
  await guest.page.goto(`${service.url}/settings/members`);
  await guest.page.getByRole('button', { name: 'Create invitation' }).waitFor();
  // Used once, the link is of no use to the next who finds it.
  const late = await open(new URL(link).pathname);
  await late.page.getByText('it was used or revoked, or has expired').waitFor();
  await leave(late.page);

  await rowOf(page, 'grace@example.com').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await rowOf(page, 'grace@example.com').waitFor({ state: 'detached' });
  // Whoever is removed while a page is open is led to the login.
  await guest.page.getByRole('heading', { name: 'Log in' }).waitFor();
  await leave(guest.page);
  await leave(page);
});

describe('whoever may not change something sees no button for it', () => {
  test('a viewer in every section', async () => {
    const { page, faults } = await open('/settings', viewer);
    const seen: Record<string, string[]> = {};
    for (const section of sections) {
      await page
        .getByRole('navigation', { name: 'Settings' })
        .locator(`a[href$="/settings/${section}"]`)
        .click();
      await page.locator(`a[data-active][href$="/settings/${section}"]`).waitFor();
      await settled(page);
      // Filters change nothing.
      const controls = page.locator('main :is(button, input, [role=switch]):not(search *)');
      const found = await controls.evaluateAll(all => all.map(one => one.textContent || one.outerHTML));
      if (found.length > 0) seen[section] = found;
    }
    // The file holds nothing that is not on the pages.
    expect(seen).toEqual({ configuration: ['Download YAML'] });
    await page.goto(`${service.url}/welcome`);
    await page.getByText('Creating them requires the member role or higher.').waitFor();
    expect(await page.locator('main button').count()).toBe(0);
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('an admin where owners and organisations are concerned', async () => {
    const { page } = await open('/settings/members', admin);
    await rowOf(page, 'owner@example.com')
      .getByText(/^(now|\d+[smhd] ago)$/)
      .nth(1)
      .waitFor();
    expect(await rowOf(page, 'owner@example.com').getByRole('button').count()).toBe(0);
    expect(await rowOf(page, 'owner@example.com').getByRole('combobox').count()).toBe(0);
    expect(await rowOf(page, 'viewer@example.com').getByRole('button', { name: 'Remove' }).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Role', exact: true }).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['viewer', 'member', 'admin']);
    await page.goto(`${service.url}/settings/organisations`);
    await page.getByRole('group', { name: 'Acme' }).waitFor();
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(1);
    expect(await page.getByRole('button', { name: /Delete|^Create$/ }).count()).toBe(0);
    await leave(page);
  });
});

test('organisations are made, switched to, renamed, and deleted by typing their name', async () => {
  const { page, faults } = await open(
    '/settings/organisations',
    await logIn(service.url, 'owner@example.com'),
  );
  const account = accountOf(page);
  await page.getByLabel('Name of the organisation').fill('Second');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('group', { name: 'Second' }).getByRole('button', { name: 'Switch' }).click();
  await account('Second').waitFor();

  // Back and forth by the menu, as one does from any page.
  await account('Second').click();
  await page.getByRole('menuitem', { name: /Acme/ }).click();
  await account('Acme').click();
  await page.getByRole('menuitem', { name: /Second/ }).click();
  await account('Second').waitFor();

  await page.goto(`${service.url}/settings/organisations`);
  await page.getByRole('group', { name: 'Second' }).getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('New name of Second').fill('Third');
  await page.getByRole('button', { name: 'Rename' }).first().click();
  await page.getByRole('group', { name: 'Third' }).getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type “Third” to delete it').fill('third');
  expect(await dialog.getByRole('button', { name: 'Delete organisation' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type “Third” to delete it').fill('Third');
  await dialog.getByRole('button', { name: 'Delete organisation' }).click();
  // Whoever was in it goes on in another one of theirs.
  await account('Acme').waitFor();
  await page.getByRole('group', { name: 'Acme' }).waitFor();
  expect(await page.getByRole('group', { name: 'Third' }).count()).toBe(0);
  expect(faults).toEqual([]);
  await leave(page);
});

test('retention and searchable traits are saved, and the audit log says who did it', async () => {
  const { page } = await open('/settings/retention', admin);
  await page.getByLabel('Days to keep events').fill('7');
  await page.getByRole('combobox', { name: 'Searchable traits' }).fill('plan');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const [entry] = listOf<AuditRecord>(await owner.get('/audit?limit=1')).data;
  expect(entry?.details).toEqual({ retention_days: 7, searchable_traits: ['plan'] });

  await page.getByRole('link', { name: 'Audit log' }).click();
  await rowOf(page, 'organisation.changed').first().waitFor();
  await owner.post('/sources', { kind: 'webhook', name: 'Made elsewhere' });
  await rowOf(page, 'source.created').first().waitFor();
  await page.getByRole('table', { name: 'Audit log' }).getByRole('link', { name: 'Made elsewhere' }).click();
  await page.getByRole('heading', { name: 'Made elsewhere' }).waitFor();
  await page.goBack();

  await page.getByRole('combobox', { name: 'Record' }).click();
  await page.getByRole('option', { name: 'organisation' }).click();
  await page.getByRole('combobox', { name: 'Person' }).fill('admin');
  await page.getByRole('option', { name: 'admin@example.com' }).click();
  await rowOf(page, 'source.created').waitFor({ state: 'detached' });
  await page.waitForURL(/kind=organisation.*actor=admin/);
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
  const csv = readFileSync(await (await file).path(), 'utf8');
  expect(csv.split('\r\n')[1]).toContain(',admin@example.com,admin@example.com,organisation.changed,');
  // More than one answer may hold: they are written as a job.
  const { organisation } = dataOf<{ organisation: { id: string } }>(await admin.get('/session'));
  const at = Date.parse('2020-01-01T00:00:00Z');
  const old = Array.from({ length: 10_000 }, (_, n) =>
    anAuditEntry(organisation.id, {
      id: idAt('aud', at + n),
      at: at + n,
      actor: 'admin@example.com',
      action: 'organisation.changed',
    }),
  );
  await Promise.all(old.map(record => service.engine.configuration.recordAudit(record)));
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
  await page.waitForURL(/\/jobs\/job_/);
  await page.getByRole('heading', { name: 'Export audit log' }).waitFor();
  await page
    .getByText(/^Exports the audit log with actor admin@example.com, kind organisation as CSV$/)
    .waitFor();
  const whole = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  expect((await whole).suggestedFilename()).toMatch(/^audit-log-job_.*\.csv$/);
  const rows = readFileSync(await (await whole).path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(rows.length).toBeGreaterThan(10_001);
  await page.goBack();
  await rowOf(page, 'organisation.changed').first().click();
  await page.getByRole('heading', { name: 'organisation.changed' }).waitFor();
  await page.getByText('127.0.0.1').waitFor();
  expect(await page.locator('main').innerText()).toContain('"retention_days": 7');
  await leave(page);
});

test('an invitation that was revoked is called so in the audit log, beside the code that is stored', async () => {
  await owner.post('/members', { email: 'hopper@example.com', role: 'viewer' });
  const members = listOf<{ id: string; email: string }>(await owner.get('/members')).data;
  await owner.delete(`/members/${members.find(({ email }) => email === 'hopper@example.com')?.id}`);
  const { page } = await open('/settings/audit', owner);
  await page.getByRole('combobox', { name: 'Action' }).fill('revoked');
  await page.getByRole('option', { name: 'Invitation revoked' }).click();
  await page.waitForURL(/action=invitation\.withdrawn/);
  await rowOf(page, 'Invitation revoked').click();
  await page.getByRole('heading', { name: 'Invitation revoked' }).waitFor();
  await page.getByText('invitation.withdrawn', { exact: true }).waitFor();
  await leave(page);
});

describe('the login', () => {
  const fillIn = async (page: Page, email: string, password: string) => {
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  };

  test('leads back to the page that was asked for, also when a session ended meanwhile', async () => {
    const { page } = await open('/settings/audit?x=1');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await fillIn(page, 'owner@example.com', PASSWORD);
    await page.waitForURL('**/settings/audit?x=1');
    await page.getByRole('table', { name: 'Audit log' }).waitFor();

    const cookie = (await page.context().cookies()).find(({ name }) => name === 'sluice_session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
    expect(await page.evaluate(() => document.cookie)).toBe('');
    // It ends as the members are asked for: a page at rest may notice sooner, and leads to the login by itself.
    await page.route('**/dashboard/api/**/members*', async route => {
      await page.context().clearCookies();
      await route.continue();
    });
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.unrouteAll();
    await fillIn(page, 'owner@example.com', PASSWORD);
    await page.waitForURL('**/settings/members');
    await rowOf(page, 'owner@example.com').waitFor();

    await accountOf(page)('Acme').click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await leave(page);
  });

  test('leads to no other host', async () => {
    const as = await logIn(service.url, 'owner@example.com');
    // How else it can be spelt, enter.test.ts knows.
    for (const to of ['//evil.example/', '/\\evil.example/']) {
      const { page, strangers } = await open(`/login?to=${encodeURIComponent(to)}`, as);
      await page.waitForURL(new RegExp(`^${service.url}/o/[a-z0-9-]+$`));
      expect(strangers).toEqual([]);
      await leave(page);
    }
  });

  test('says the same of a wrong password and of an unknown email, and when to come back after too many', async () => {
    const { page, faults } = await open('/login', undefined, 'dark');
    const said: string[] = [];
    for (const email of ['owner@example.com', 'nobody@example.com']) {
      await fillIn(page, email, 'not the password');
      await page.getByRole('alert').waitFor();
      said.push(await page.getByRole('alert').innerText());
      await page.reload();
    }
    expect(said).toEqual(Array(2).fill('Incorrect email or password.'));
    await Promise.all(
      Array.from({ length: 20 }, () =>
        fetch(`${service.url}/dashboard/api/session`, {
          method: 'POST',
          headers: { 'X-Sluice-CSRF': '1', 'Content-Type': 'application/json' },
          body: '{"email":"busy@example.com","password":"x"}',
        }),
      ),
    );
    await fillIn(page, 'busy@example.com', 'not the password');
    await page.getByText('try again in 15 minutes').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await leave(page);
  });
});

test('the operator’s organisation sees each node; another sees how many there are', async () => {
  const { page, faults } = await open('/settings/health', owner);
  const nodes = page.getByRole('table', { name: 'Nodes' });
  await nodes.waitFor();
  await nodes.getByText('this node').waitFor();
  const row = await nodes.getByRole('row').nth(1).innerText();
  expect(row).toContain('ingest, process, deliver, dashboard');
  expect(row).toContain('nothing');
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await leave(page);

  const other = dataOf<{ slug: string }>(await owner.post('/organisations', { name: 'Another' }));
  const visited = await open(`/o/${other.slug}/settings/health`, owner);
  await visited.page.getByRole('heading', { name: 'Backlog' }).waitFor();
  expect(await visited.page.getByRole('table', { name: 'Nodes' }).count()).toBe(0);
  expect(visited.faults).toEqual([]);
  await leave(visited.page);
});

test('a page of another site can change nothing here, though the browser would send the cookie', async () => {
  const { page } = await open('/settings/keys', owner);
  const [without, foreign] = await page.evaluate(async () => {
    const send = (headers: Record<string, string>) =>
      fetch('/dashboard/api/keys', { method: 'POST', headers, body: '{"name":"forged"}' });
    const plain = await send({ 'Content-Type': 'application/json' });
    return [plain.status, (await plain.json()).error.code];
  });
  expect([without, foreign]).toEqual([403, 'csrf_rejected']);
  const answer = await owner.send('POST', '/keys', {
    body: { name: 'forged' },
    headers: { Origin: 'https://evil.example' },
  });
  expect(answer.status).toBe(403);
  await leave(page);
});

test('each tab is in the organisation of its address; old addresses lead there, and a thing of another is found', async () => {
  const make = async (name: string) =>
    dataOf<{ slug: string }>(await owner.post('/organisations', { name })).slug;
  const [one, two] = [await make('Tab one'), await make('Tab two')];
  const sourceIn = async (slug: string, name: string) => {
    const made = await owner.post(`/o/${slug}/sources`, { kind: 'sdk', name, match: 'a.*' });
    return dataOf<{ id: string }>(made).id;
  };
  await sourceIn(one, 'Of one');
  const ofTwo = await sourceIn(two, 'Of two');
  const { page, faults } = await open(`/o/${one}/sources`, owner);
  await page.getByRole('link', { name: 'Of one' }).waitFor();
  const other = await page.context().newPage();
  await other.goto(`${service.url}/o/${two}/sources`);
  await other.getByRole('link', { name: 'Of two' }).waitFor();
  // What the other tab shows changes nothing here, and links stay where they are.
  await page.reload();
  await page.getByRole('link', { name: 'Of one' }).click();
  await page.waitForURL(new RegExp(`/o/${one}/sources/src_`));
  await accountOf(page)('Tab one').waitFor();

  await page.goto(`${service.url}/o/${one}/sources/${ofTwo}`);
  await page.getByText('It belongs to Tab two.').waitFor();
  await page.getByRole('link', { name: 'Open in Tab two' }).click();
  await page.waitForURL(`${service.url}/o/${two}/sources/${ofTwo}`);
  await page.getByRole('heading', { name: 'Of two' }).waitFor();

  const here = dataOf<{ organisation: { slug: string } }>(await owner.get('/session')).organisation.slug;
  await page.goto(`${service.url}/events?type=x#y`);
  await page.waitForURL(`${service.url}/o/${here}/events?type=x#y`);
  await page.goto(`${service.url}/o/nobody/events`);
  await page.getByText('You are not a member of any organisation at /o/nobody.').waitFor();
  await page.getByRole('link', { name: 'Open your organisation' }).click();
  await page.waitForURL(`${service.url}/o/${here}`);
  // Whoever is lost within their own keeps the side bar.
  await page.goto(`${service.url}/o/${one}/nothing/here`);
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await accountOf(page)('Tab one').waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});

test('the page of one’s account stays in the organisation of its tab, whatever another tab has switched to', async () => {
  const person = await join(service.url, owner, 'tabs@example.com', 'owner');
  const make = async (name: string) =>
    dataOf<OrganisationRecord>(await person.post('/organisations', { name }));
  const [one, two] = [await make('This tab'), await make('Other tab')];
  const { page, faults } = await open(`/o/${one.slug}/sources`, person);
  const openAccount = async () => {
    await accountOf(page)(one.name).click();
    await page.getByRole('menuitem', { name: 'Account' }).click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
  };
  await openAccount();
  await person.put('/session/organisation', { id: two.id });
  await page.reload();
  await accountOf(page)(one.name).waitFor();
  await page.getByRole('link', { name: 'Sources' }).click();
  await page.waitForURL(`${service.url}/o/${one.slug}/sources`);
  await accountOf(page)(one.name).waitFor();

  // Where they belong no more, it is shown from within another one.
  await openAccount();
  const deleted = await person.send('DELETE', `/o/${one.slug}/organisations/${one.id}`);
  expect(deleted.status).toBe(200);
  await page.reload();
  await page.getByRole('heading', { name: 'Account' }).waitFor();
  await accountOf(page)('Other tab').waitFor();
  expect(faults).toEqual([]);
  await leave(page);
});
