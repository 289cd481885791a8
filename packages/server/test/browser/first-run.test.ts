import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Browser as Chromium, Locator, Page } from 'playwright-core';
import {
  accessibilityFaults,
  inColours,
  launchChromium,
  leave,
  scrollsSideways,
  visit,
} from '../support/browser-page.ts';
import { PASSWORD } from '../support/dashboard.ts';
import { newFolder } from '../support/folder.ts';
import { type ServerProcess, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let chromium: Chromium;
beforeAll(async () => {
  chromium = await launchChromium();
});
afterAll(() => chromium.close());

/** A hand that counts: every field that is filled in and everything that is pressed. */
function createHand() {
  const hand = {
    moves: 0,
    async fill(field: Locator, text: string) {
      hand.moves++;
      await field.fill(text);
    },
    async press(button: Locator) {
      hand.moves++;
      await button.click();
    },
  };
  return hand;
}

const textOf = (page: Page) => page.locator('main').innerText();

describe('the first run', () => {
  let server: ServerProcess;
  let printed: string;
  beforeAll(async () => {
    server = await startProcess({ directory: newFolder() });
    await until(() => server.output().includes('/setup#'), 'no address for the set-up is printed');
    printed = /\/setup#\S+/.exec(server.output())?.[0] ?? '';
  });
  afterAll(async () => {
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  test('leads from the printed address to a delivered event, seen step by step, in at most 12 moves', async () => {
    const { page, faults, strangers } = await visit(chromium, server.url, printed);
    const hand = createHand();
    await hand.fill(page.getByLabel('Organisation'), 'Acme');
    await hand.fill(page.getByLabel('Email'), 'ada@example.com');
    await hand.fill(page.getByRole('textbox', { name: 'Password' }), PASSWORD);
    expect(await accessibilityFaults(page)).toEqual([]);
    await hand.press(page.getByRole('button', { name: 'Create account' }));

    await page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor();
    await hand.press(page.getByRole('button', { name: 'Create starter pipeline' }));
    await page.getByText('Waiting for the first event…').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await hand.press(page.getByRole('button', { name: 'Send it for me' }));

    await page.getByText('Delivered to Inbox').waitFor();
    const seen = await textOf(page);
    const order = [
      'Accepted',
      'Through the pipeline',
      'Delivered to Inbox',
      '"message": "Hello',
      'What next',
    ];
    const places = order.map(words => seen.indexOf(words));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(-1);
    expect(hand.moves).toBeLessThanOrEqual(12);

    expect(await accessibilityFaults(page)).toEqual([]);
    await inColours(page, 'dark');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await until(async () => !(await scrollsSideways(page)), 'the page scrolls sideways on a phone');
    expect(faults).toEqual([]);
    expect(strangers).toEqual([]);

    // Coming back makes nothing twice; the secret is gone, and a new one fills the commands in again.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
    await page.getByText('Delivered to Inbox').waitFor();
    expect(await page.getByRole('button', { name: 'Create starter pipeline' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Create new secret' }).click();
    await runs(await commandIn(page));
    await page.getByRole('tab', { name: 'Sign it yourself' }).click();
    await runs(await commandIn(page));
    await page.getByRole('tab', { name: 'With an API key' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await runs(await commandIn(page));
    // Its payload has no type inside: the newest is the one that was sent with the key.
    await page.getByText('"type": "hello.world"').waitFor({ state: 'detached' });
    await page.getByText('"message": "Hello, Sluice!"').waitFor();
    expect(faults).toEqual([]);
    await leave(page);
  });

  test('is over once there is a user: the same address leads to the login', async () => {
    const { page } = await visit(chromium, server.url, printed);
    await page.getByRole('heading', { name: 'Set-up is complete' }).waitFor();
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await leave(page);
  });
});

test('what is wrong in the set-up is said at its field, in plain words', async () => {
  const service = await startTestService();
  // Whoever opens the dashboard without the printed address lands there too.
  const { page, faults } = await visit(chromium, service.url, '/events', { colours: 'dark' });
  await page.getByRole('heading', { name: 'Set up Sluice' }).waitFor();
  const begin = page.getByRole('button', { name: 'Create account' });
  await begin.click();
  const problems = page.locator('form');
  await problems.getByText('Any name will do; it can be changed later.').waitFor();
  await problems.getByText('This is not an email address.').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);

  await page.getByLabel('One-time code').fill('guessed');
  await page.getByLabel('Organisation').fill('Acme');
  await page.getByLabel('Email').fill('ada@example');
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await begin.click();
  await problems.getByText('Must be an email address.').waitFor();
  await page.getByLabel('Email').fill('ada@example.com');
  await begin.click();
  await problems.getByText('This is not the set-up code.').waitFor();
  // Whoever opens the printed address at last, in the tab that stands there, has nothing to copy.
  await page.goto(`${service.url}/setup#${service.service.setupCode}`);
  await begin.click();
  await page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor();

  // Where half of it fails, it says so, and pressing again makes the other half.
  await page.route('**/dashboard/api/**/destinations', route => route.abort(), { times: 1 });
  await page.getByRole('button', { name: 'Create starter pipeline' }).click();
  await page.getByText('The server is not responding.').waitFor();
  await page.getByRole('button', { name: 'Create starter pipeline' }).click();
  await page.getByRole('button', { name: 'Send it for me' }).click();
  await page.getByText('Delivered to Inbox').waitFor();
  const counts = await page.evaluate(() =>
    Promise.all(
      ['sources', 'destinations', 'pipelines'].map(
        async what => (await (await fetch(`/dashboard/api/${what}`)).json()).data.length,
      ),
    ),
  );
  // Beside the source that was made stands that of the system events.
  expect(counts).toEqual([2, 1, 1]);
  expect(faults).toEqual([]);
  await leave(page);
  await service.stop();
});

test('from an empty installation to a GitHub webhook in Slack it is at most 12 clicks', async () => {
  const service = await startTestService({
    settings: { SLUICE_ALLOW_ADDRESSES: '127.0.0.1/32', SLUICE_ALLOW_HTTP: 'true' },
  });
  const slack = startReceiver(() => new Response('ok'));
  const { page, faults } = await visit(chromium, service.url, `/setup#${service.service.setupCode}`);
  let clicks = 0;
  const click = async (element: Locator) => {
    clicks++;
    await element.click();
  };
  await page.getByLabel('Organisation').fill('Acme');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await click(page.getByRole('button', { name: 'Create account' }));
  await click(page.getByRole('link', { name: 'Connect a provider' }));
  await click(page.getByRole('button', { name: 'GitHub', exact: true }));
  await click(page.getByRole('button', { name: 'Create source' }));
  const secret = await page.getByText(/^whsec_/).innerText();
  const url = await page.getByText('/whk/', { exact: false }).first().innerText();
  await click(page.getByRole('link', { name: 'Next: destination' }));
  await click(page.getByRole('link', { name: /^Slack/ }));
  await page.getByLabel('Name').fill('Team');
  await page.getByLabel('Incoming webhook URL').fill(`${slack.url}/services/T0/B0/x`);
  await click(page.getByRole('button', { name: 'Create destination' }));
  await page.getByRole('heading', { name: 'New pipeline' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('GitHub to Team');
  await click(page.getByRole('button', { name: 'Save version 1' }));
  await page.getByText('version 1', { exact: true }).waitFor();
  expect(clicks).toBeLessThanOrEqual(12);

  const body = JSON.stringify({ action: 'opened', issue: { title: 'It leaks' } });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'issues',
    'x-hub-signature-256': `sha256=${signature}`,
  };
  expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(202);
  await until(() => slack.requests.length === 1, 'Nothing has come to Slack.');
  expect(JSON.stringify(slack.requests[0]?.body)).toContain('github.issues');
  expect(faults).toEqual([]);
  await leave(page);
  await service.stop();
  await slack.stop();
});

const commandIn = async (page: Page): Promise<string> =>
  (await page.getByRole('tabpanel').locator('pre').innerText()).trim();

/** Pastes it into a shell, as a newcomer would. */
async function runs(command: string): Promise<void> {
  const shell = Bun.spawn(
    ['bash', '-c', `set -o pipefail; ${command.replace(/curl /, 'curl -s --fail-with-body ')}`],
    {
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const [answer, complaint] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
  ]);
  expect(await shell.exited, `${command}\n${answer}${complaint}`).toBe(0);
  expect(answer).toContain('evt_');
}
