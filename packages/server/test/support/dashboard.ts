import { expect } from 'bun:test';
import type { Role } from '../../src/core/stores/accounts.ts';
import { type Answer, toAnswer } from './endpoints.ts';
import type { TestService } from './service.ts';

export const PASSWORD = 'correct horse battery';

/** A browser at the dashboard: keeps the cookie, sends the CSRF header, speaks JSON. */
export interface Browser {
  /** As the server set it: name, value and attributes. */
  setCookie: string | null;
  send(method: string, path: string, options?: { body?: unknown; headers?: HeaderMap }): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** An empty value leaves a header out. */
type HeaderMap = Readonly<Record<string, string>>;

export function openBrowser(url: string): Browser {
  const browser: Browser = {
    setCookie: null,
    async send(method, path, { body, headers = {} } = {}) {
      const all = {
        'X-Sluice-CSRF': '1',
        'Content-Type': body === undefined ? '' : 'application/json',
        Cookie: cookieOf(browser),
        ...headers,
      };
      const response = await fetch(`${url}/dashboard/api${path}`, {
        method,
        headers: Object.entries(all).filter(([, value]) => value !== ''),
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      });
      browser.setCookie = response.headers.get('set-cookie') ?? browser.setCookie;
      return toAnswer(response);
    },
    get: path => browser.send('GET', path),
    post: (path, body) => browser.send('POST', path, { body }),
    put: (path, body) => browser.send('PUT', path, { body }),
    patch: (path, body) => browser.send('PATCH', path, { body }),
    delete: path => browser.send('DELETE', path),
  };
  return browser;
}

export const cookieOf = ({ setCookie }: Pick<Browser, 'setCookie'>): string => setCookie?.split(';')[0] ?? '';

/** `data` of an answer that succeeded. */
export function dataOf<T = Record<string, unknown>>(answer: Answer): T {
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return (answer.body as { data: T }).data;
}

export interface Listed<T = Record<string, unknown>> {
  readonly data: T[];
  readonly next_cursor: string | null;
}

export function listOf<T = Record<string, unknown>>(answer: Answer): Listed<T> {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as Listed<T>;
}

/** The whole list, page by page. */
export async function readAll<T>(browser: Browser, path: string): Promise<T[]> {
  const all: T[] = [];
  let cursor = '';
  do {
    const page = listOf<T>(await browser.get(`${path}${path.includes('?') ? '&' : '?'}${cursor}`));
    all.push(...page.data);
    cursor = page.next_cursor === null ? '' : `cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== '');
  return all;
}

/** The first user, made through the set-up: the owner of "Acme". */
export async function setUp({ url, service }: TestService): Promise<Browser> {
  const browser = openBrowser(url);
  const answer = await browser.post('/setup', {
    code: service.setupCode,
    organisation: 'Acme',
    email: 'owner@example.com',
    password: PASSWORD,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return browser;
}

/** Invites somebody new into the inviter's organisation and accepts for them. */
export async function join(url: string, inviter: Browser, email: string, role: Role): Promise<Browser> {
  const { invite_code } = dataOf<{ invite_code: string }>(await inviter.post('/members', { email, role }));
  const browser = openBrowser(url);
  const answer = await browser.post(`/invitations/${invite_code}`, { password: PASSWORD });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return browser;
}

export async function logIn(url: string, email: string, password = PASSWORD): Promise<Browser> {
  const browser = openBrowser(url);
  expect((await browser.post('/session', { email, password })).status).toBe(200);
  return browser;
}

/** Somebody else altogether: the owner of an organisation of their own, and of no other. */
export async function stranger(url: string, owner: Browser, email: string): Promise<Browser> {
  const { id } = dataOf<{ id: string }>(await owner.post('/organisations', { name: `Of ${email}` }));
  const visitor = await logIn(url, 'owner@example.com');
  await visitor.put('/session/organisation', { id });
  const browser = await join(url, visitor, email, 'owner');
  const me = dataOf<{ user: { id: string } }>(await visitor.get('/session')).user.id;
  expect((await browser.delete(`/members/${me}`)).status).toBe(200);
  return browser;
}
