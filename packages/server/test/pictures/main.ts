/**
 * `npm run pictures`: draws every page of the dashboard, light and dark, from a sample company that it makes, for
 * the docs and for whoever wants to look at all of them after a change.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium, visit } from '../support/browser-page.ts';
import { dataOf } from '../support/dashboard.ts';
import { pagesOf } from '../support/dashboard-pages.ts';
import { openSampleCompany } from '../support/sample-company.ts';
import { startTestService } from '../support/service.ts';

const folder = process.argv[2] ?? join(import.meta.dir, '../../../../docs/pictures');
mkdirSync(folder, { recursive: true });

const company = await openSampleCompany({ minutes: 240 });
const fresh = await startTestService();
const chromium = await launchChromium();
const { owner, service } = company;

const both = ['light', 'dark'] as const;
// Drawn last: its orders come all at once, and would stand out on the charts of the others.
const { live, ...pages } = pagesOf(company);
for (const [name, path] of [...Object.entries(pages), ['live', live ?? ''] as const])
  for (const colours of both) await draw(service.url, path, name, colours, owner);
const invited = await owner.post('/members', { email: 'grace@example.com', role: 'member' });
const { invite_code } = dataOf<{ invite_code: string }>(invited);
for (const colours of both) {
  await draw(service.url, '/login', 'login', colours);
  await draw(service.url, `/invitations/${invite_code}`, 'invitation', colours);
  await draw(fresh.url, '/setup', 'setup', colours);
}
await chromium.close();
await company.stop();
await fresh.stop();

async function draw(url: string, path: string, name: string, colours: 'light' | 'dark', as?: typeof owner) {
  const { page, faults } = await visit(chromium, url, path, { colours, ...(as ? { as } : {}) });
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (name === 'live') for (let n = 0; n < 12; n++) await company.order();
  // Charts and graphs come by themselves; a picture is taken when nothing has moved for a while.
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
  await page.waitForTimeout(700);
  await page.screenshot({ path: join(folder, `${name}-${colours}.png`) });
  if (name === 'overview') {
    // Half of it lies below the first screen, and is drawn when somebody comes to it.
    await page.getByRole('heading', { name: 'Backlog' }).scrollIntoViewIfNeeded();
    for (const list of ['Top event types', 'Top errors'])
      await page.getByRole('list', { name: list }).waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: join(folder, `overview-whole-${colours}.png`), fullPage: true });
  }
  for (const fault of faults) console.log(`${name}: ${fault}`);
  await page.context().close();
}
