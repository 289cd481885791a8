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
  of(request: Request, client: Client): Promise<LoginSession>;
  /** Begins one: the session, and the cookie that proves it. */
  begin(userId: string, orgId: string, client: Client): Promise<{ session: LoginSession; cookie: string }>;
  /** Cookies that put the session under the name that it would have today; none where it has that. */
  renewedCookies(request: Request, client: Client, session: LoginSession): string[];
  /** Cookies that replace the session's in the browser, and expire at once. */
  expiredCookies(client: Client): string[];
}

const COOKIE = 'sluice_session';
/** A browser takes a cookie of this name from this very host over TLS alone: no neighbouring host can plant one. */
const PREFIXED_COOKIE = `__Host-${COOKIE}`;
const LIFETIME_MS = days(14);

/**
 * Over TLS the cookie has the prefixed name. The other one is then believed only of sessions that began before there
 * was a prefixed one: whoever plants a cookie has a session of today.
 */
export function createSessions(
  accounts: Pick<AccountStore, 'createSession' | 'findSession'>,
  clock: Clock,
  prefixedSince: number,
): LoginSessions {
  // Lax, not Strict: a link to the dashboard in a mail should find its reader logged in.
  const cookie = (name: string, value: string, maxAge: number, client: Client) =>
    generateCookie(name, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      secure: client.secure,
      maxAge,
    });
  const nameFor = (client: Client) => (client.secure ? PREFIXED_COOKIE : COOKIE);

  async function find(tokenHash: string): Promise<LoginSession> {
    const session = await accounts.findSession(tokenHash, clock.now());
    if (session === null) throw new Problem('unauthenticated', { message: 'Log in first.' });
    return session;
  }

  return {
    async of(request, client) {
      const { prefixed, plain } = tokensOf(request);
      if (prefixed !== undefined) return find(hashSecret(prefixed));
      const session = await find(hashSecret(plain ?? ''));
      if (client.secure && session.createdAt >= prefixedSince)
        throw new Problem('unauthenticated', { message: 'Log in first.' });
      return session;
    },
    async begin(userId, orgId, client) {
      const token = newSecret('ses');
      const createdAt = clock.now();
      const expiresAt = createdAt + LIFETIME_MS;
      await accounts.createSession({ tokenHash: hashSecret(token), userId, orgId, createdAt, expiresAt });
      return {
        session: await find(hashSecret(token)),
        cookie: cookie(nameFor(client), token, LIFETIME_MS / 1_000, client),
      };
    },
    renewedCookies(request, client, { expiresAt }) {
      const { prefixed, plain } = tokensOf(request);
      if (!client.secure || prefixed !== undefined || plain === undefined) return [];
      const leftSeconds = Math.floor((expiresAt - clock.now()) / 1_000);
      return [cookie(PREFIXED_COOKIE, plain, leftSeconds, client), cookie(COOKIE, '', 0, client)];
    },
    expiredCookies: client =>
      (client.secure ? [PREFIXED_COOKIE, COOKIE] : [COOKIE]).map(name => cookie(name, '', 0, client)),
  };
}

function tokensOf(request: Request): { prefixed: string | undefined; plain: string | undefined } {
  const cookies = parse(request.headers.get('cookie') ?? '');
  return { prefixed: cookies[PREFIXED_COOKIE], plain: cookies[COOKIE] };
}
