import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Browser, openBrowser, PASSWORD, setUp } from '../support/dashboard.ts';
import { expectRefused } from '../support/endpoints.ts';
import { startTestService, type TestService } from '../support/service.ts';

const rejected = { status: 403, code: 'csrf_rejected' };

let service: TestService;
let owner: Browser;
beforeAll(async () => {
  service = await startTestService({ settings: { SLUICE_BASE_URL: 'https://sluice.example.com' } });
  owner = await setUp(service);
});
afterAll(() => service.stop());

const createKey = (headers: Record<string, string>) =>
  owner.send('POST', '/keys', { body: { name: 'k' }, headers });

describe('a call that changes something is taken', () => {
  const taken: [string, () => Record<string, string>][] = [
    ['with the header alone, as from curl', () => ({})],
    ['from the same origin', () => ({ 'Sec-Fetch-Site': 'same-origin' })],
    [
      'from the same origin, whatever a proxy did to Origin',
      () => ({
        'Sec-Fetch-Site': 'same-origin',
        Origin: 'https://elsewhere.example',
      }),
    ],
    ['with the Origin that the request came to', () => ({ Origin: service.url })],
    ['with the Origin of the base URL', () => ({ Origin: 'https://sluice.example.com' })],
  ];
  for (const [name, headers] of taken) {
    test(name, async () => {
      expect((await createKey(headers())).status).toBe(201);
    });
  }
});

describe('a call that changes something is refused', () => {
  const refused: [string, Record<string, string>][] = [
    ['without the header', { 'X-Sluice-CSRF': '' }],
    ['with another value in the header', { 'X-Sluice-CSRF': 'yes' }],
    [
      'without the header, though from the same origin',
      {
        'X-Sluice-CSRF': '',
        'Sec-Fetch-Site': 'same-origin',
      },
    ],
    ['from another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['from a sibling of our site', { 'Sec-Fetch-Site': 'same-site' }],
    ['from nowhere in particular', { 'Sec-Fetch-Site': 'none' }],
    [
      'from another site that names our Origin',
      {
        'Sec-Fetch-Site': 'cross-site',
        Origin: 'https://sluice.example.com',
      },
    ],
    ['with another Origin', { Origin: 'https://evil.example' }],
    ['with an Origin that only begins like ours', { Origin: 'https://sluice.example.com.evil.example' }],
    ['with the Origin null', { Origin: 'null' }],
  ];
  for (const [name, headers] of refused) {
    test(name, async () => {
      expectRefused(await createKey(headers), rejected);
    });
  }

  const calls: [string, string][] = [
    ['DELETE', '/session'],
    ['PUT', '/session/organisation'],
    ['PATCH', '/keys/key_x'],
    ['DELETE', '/sources/src_x'],
    ['POST', '/sources/src_x/rotate'],
  ];
  for (const [method, path] of calls) {
    test(`whichever it is: ${method} ${path}`, async () => {
      expectRefused(await owner.send(method, path, { headers: { 'X-Sluice-CSRF': '' } }), rejected);
    });
  }

  test('even where nobody is logged in yet', async () => {
    const anyone = openBrowser(service.url);
    for (const path of ['/session', '/setup', '/invitations/x']) {
      const headers = { 'Sec-Fetch-Site': 'cross-site' };
      expectRefused(await anyone.send('POST', path, { body: {}, headers }), rejected);
    }
    const login = { email: 'owner@example.com', password: PASSWORD };
    const headers = { 'X-Sluice-CSRF': '' };
    expectRefused(await anyone.send('POST', '/session', { body: login, headers }), rejected);
    expect(anyone.setCookie).toBeNull();
  });
});

test('401 comes before 403', async () => {
  const headers = { 'X-Sluice-CSRF': '', 'Sec-Fetch-Site': 'cross-site' };
  const answer = await openBrowser(service.url).send('POST', '/keys', { body: {}, headers });
  expectRefused(answer, { status: 401, code: 'unauthenticated' });
});

test('behind a base URL with TLS the cookie never travels without it', () => {
  expect(owner.setCookie).toContain('; Secure');
});

test('reading needs no header', async () => {
  const answer = await owner.send('GET', '/session', {
    headers: { 'X-Sluice-CSRF': '', 'Sec-Fetch-Site': 'cross-site' },
  });
  expect(answer.status).toBe(200);
});
