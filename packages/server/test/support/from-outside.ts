import { createHmac } from 'node:crypto';

/**
 * The service as programs and people see it over HTTP, and nothing of its code: for tests that must outlive whatever
 * is renamed inside. The shapes below name only what such tests look at.
 */
export interface Named {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly version: number;
  readonly config: Record<string, unknown>;
  readonly steps: { readonly kind: string; readonly config: Record<string, unknown> }[];
}

export interface Attempt {
  readonly status: number | null;
  readonly request: { readonly headers: Record<string, string>; readonly body: string };
}

export interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly destination: Named;
  readonly attempts: Attempt[];
}

export interface Event {
  readonly id: string;
  readonly state: string;
  readonly payload: unknown;
  readonly deliveries: Delivery[];
  readonly runs: {
    readonly pipeline: Named;
    readonly reason: string | null;
    readonly steps: { readonly kind: string; readonly note: string | null; readonly after: unknown }[];
  }[];
}

/** An answer in its envelope; its text too, since numbers beyond 2^53 do not outlive its reading. */
export interface Answered<T> {
  readonly status: number;
  readonly text: string;
  readonly data: T;
  readonly next_cursor?: string | null;
}

export async function ask<T>(url: string, init: RequestInit = {}): Promise<Answered<T>> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { ...(JSON.parse(text) as { data: T }), status: response.status, text };
}

/** Somebody who is logged in at the dashboard. */
export interface Person {
  send<T>(method: string, path: string, body?: unknown): Promise<Answered<T>>;
  read<T>(path: string): Promise<T>;
  /** The whole list, page by page. */
  list<T>(path: string): Promise<T[]>;
}

export async function logIn(url: string, email: string, password: string): Promise<Person> {
  const headers = { 'X-Sluice-CSRF': '1', 'Content-Type': 'application/json' };
  const login = await fetch(`${url}/dashboard/api/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email, password }),
  });
  if (!login.ok) throw new Error(`${email} cannot log in: ${await login.text()}`);
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';

  const send = <T>(method: string, path: string, body?: unknown) =>
    ask<T>(`${url}/dashboard/api${path}`, {
      method,
      headers: { ...headers, Cookie: cookie },
      body: body === undefined ? null : JSON.stringify(body),
    });
  const get = async <T>(path: string) => {
    const answered = await send<T>('GET', path);
    if (answered.status !== 200) throw new Error(`GET ${path}: ${answered.status} ${answered.text}`);
    return answered;
  };
  return {
    send,
    read: async <T>(path: string) => (await get<T>(path)).data,
    async list<T>(path: string) {
      const all: T[] = [];
      let more = '';
      do {
        const page = await get<T[]>(`${path}${path.includes('?') ? '&' : '?'}${more}`);
        all.push(...page.data);
        more = page.next_cursor ? `cursor=${encodeURIComponent(page.next_cursor)}` : '';
      } while (more !== '');
      return all;
    },
  };
}

export const hmac = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

/** As a receiver checks the signature of what it gets. */
export function isSignedWith(secret: string, signature: string | undefined, body: string): boolean {
  const [, time, found] = /^t=(\d+),v1=([0-9a-f]+)$/.exec(signature ?? '') ?? [];
  return found === hmac(secret, `${time}.${body}`);
}

/** How many there are of each name. */
export const tally = <T>(rows: readonly T[], nameOf: (row: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(rows, nameOf)].map(([name, { length }]) => [name, length]));
