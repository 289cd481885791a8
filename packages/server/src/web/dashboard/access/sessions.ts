import { generateCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import { type Clock, days } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { hashSecret, newSecret } from '../../../core/secrets/vault.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { Client } from '../../client.ts';

/** Who is asking, in which organisation, with which role there as of now. */
export type LoginSession = NonNullable<Awaited<ReturnType<AccountStore['findSession']>>>;

export interface LoginSessions {
  /** The session of the request's cookie, and of nothing else. Throws a 401 where there is none. */
  of(request: Request): Promise<LoginSession>;
  /** Begins one: the session, and the cookie that proves it. */
  begin(userId: string, orgId: string, client: Client): Promise<{ session: LoginSession; cookie: string }>;
  /** The cookie that replaces the session's in the browser, and expires at once. */
  expiredCookie(client: Client): string;
}

const COOKIE = 'sluice_session';
const LIFETIME_MS = days(14);

export function createSessions(
  accounts: Pick<AccountStore, 'createSession' | 'findSession'>,
  clock: Clock,
): LoginSessions {
  // Lax, not Strict: a link to the dashboard in a mail should find its reader logged in.
  const cookie = (value: string, maxAge: number, client: Client) =>
    generateCookie(COOKIE, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      secure: client.secure,
      maxAge,
    });

  async function find(tokenHash: string): Promise<LoginSession> {
    const session = await accounts.findSession(tokenHash, clock.now());
    if (session === null) throw new Problem('unauthenticated', { message: 'Log in first.' });
    return session;
  }

  return {
    async of(request) {
      const token = parse(request.headers.get('cookie') ?? '', COOKIE)[COOKIE] ?? '';
      return find(hashSecret(token));
    },
    async begin(userId, orgId, client) {
      const token = newSecret('ses');
      const createdAt = clock.now();
      const expiresAt = createdAt + LIFETIME_MS;
      await accounts.createSession({ tokenHash: hashSecret(token), userId, orgId, createdAt, expiresAt });
      return {
        session: await find(hashSecret(token)),
        cookie: cookie(token, LIFETIME_MS / 1_000, client),
      };
    },
    expiredCookie: client => cookie('', 0, client),
  };
}
