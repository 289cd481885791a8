import { type Askable, ask, PATIENCE_MS } from './ask.ts';

/**
 * Somebody at the dashboard of an organisation who does not give up: asks one node after another until there is an
 * answer that says what became of it.
 */
export interface Operator {
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<Answered<T>>;
  /** A list, page by page. */
  all<T>(path: string): Promise<T[]>;
}

interface Answered<T> {
  readonly status: number;
  readonly data: T;
  readonly next: string | null;
}

/** Longer each time, so that those who wait for a node that is away do not keep it from starting. */
const PAUSE_MS = { first: 150, longest: 2_400 };
export const PASSWORD = 'canary of the owner’s password';
export const EMAIL = 'owner@example.com';

/** Logs in, and moves to that organisation. */
export async function logIn(askable: Askable, organisationId: string | null): Promise<Operator> {
  const { fleet, files } = askable;
  let cookie = '';
  let node = 0;

  async function askOnce<T>(method: string, path: string, body: unknown): Promise<Answered<T> | null> {
    const asked = await ask(askable, node % fleet.size, `/dashboard/api${path}`, {
      method,
      waitMs: PATIENCE_MS.operator,
      headers: {
        'X-Sluice-CSRF': '1',
        ...(cookie === '' ? {} : { Cookie: cookie }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const { status, error } = asked.line;
    files.write('operators', { ...asked.line, method, path });
    if (status === null || asked.body === undefined || status >= 500 || status === 429) return null;
    cookie = asked.headers?.get('set-cookie')?.split(';')[0] ?? cookie;
    const { data, next_cursor: next = null } = asked.body as { data: T; next_cursor?: string | null };
    if (status >= 400 && status !== 404 && status !== 409)
      throw new Error(`${method} ${path} was answered with ${status}: ${error}`);
    return { status, data, next };
  }

  const operator: Operator = {
    async call<T>(method: string, path: string, body?: unknown) {
      for (let asked = 0; ; asked++) {
        const answered = await askOnce<T>(method, path, body);
        if (answered !== null) return answered;
        node++;
        await Bun.sleep(Math.min(PAUSE_MS.first * 2 ** asked, PAUSE_MS.longest));
      }
    },
    async all<T>(path: string) {
      const rows: T[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page: Answered<T[]> = await operator.call<T[]>(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}limit=100${from}`,
        );
        rows.push(...page.data);
        cursor = page.next;
      }
      return rows;
    },
  };
  await operator.call('POST', '/session', { email: EMAIL, password: PASSWORD });
  if (organisationId !== null) await operator.call('PUT', '/session/organisation', { id: organisationId });
  return operator;
}
