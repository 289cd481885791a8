import { generateCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import { type Clock, days, minutes } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { hashSecret, newSecret } from '../../../core/secrets/vault.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { Client } from '../../client.ts';
import { organisationIn } from '../call-address.ts';

/** Who is asking, in which organisation, with which role there as of now. */
export type LoginSession = NonNullable<Awaited<ReturnType<AccountStore['findSession']>>>;

export interface LoginSessions {
  /**
   * The session of the request's cookie, and of nothing else, in the organisation of its address or else its own. Throws
   * a 401 where there is none, a 404 where that organisation is none of theirs.
   */
  of(request: Request, client: Client): Promise<LoginSession>;
  /** Begins one, with the records of it: the session, and the cookie that proves it. */
  begin(
    user: Pick<User, 'id' | 'passwordHash'>,
    orgId: string,
    from: { readonly client: Client; readonly request: Request },
    records?: readonly AuditEntry[],
  ): Promise<{ session: LoginSession; cookie: string }>;
  /** Cookies that put the session under the name that it would have today; none where it has that. */
  renewedCookies(request: Request, client: Client, session: LoginSession): string[];
  /** Cookies that replace the session's in the browser, and expire at once. */
  expiredCookies(client: Client): string[];
}

const COOKIE = 'sluice_session';
/** A browser takes a cookie of this name from this very host over TLS alone: no neighbouring host can plant one. */
const PREFIXED_COOKIE = `__Host-${COOKIE}`;
const LIFETIME_MS = days(14);
/** The list of sessions is exact to this; a write with every call would be too much for it. */
const TOUCH_EVERY_MS = minutes(1);
const MOST_USER_AGENT_LENGTH = 256;

/**
 * Over TLS the cookie has the prefixed name. The other one is then believed only of sessions that began before there
 * was a prefixed one: whoever plants a cookie has a session of today.
 */
export function createSessions(
  accounts: Pick<AccountStore, 'audited' | 'findSession' | 'touchSession'>,
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

  async function find(tokenHash: string, slug?: string): Promise<LoginSession> {
    const session = await accounts.findSession(tokenHash, clock.now(), slug);
    if (session !== null) return session;
    if (slug === undefined) throw new Problem('unauthenticated', { message: 'Log in first.' });
    // Whoever is logged in learns no more than that it is none of theirs.
    await find(tokenHash);
    throw new Problem('not_found', { message: `You are not a member of any organisation at /o/${slug}.` });
  }

  return {
    async of(request, client) {
      const { prefixed, plain } = tokensOf(request);
      const session = await find(hashSecret(prefixed ?? plain ?? ''), organisationIn(request) ?? undefined);
      if (prefixed === undefined && client.secure && session.createdAt >= prefixedSince)
        throw new Problem('unauthenticated', { message: 'Log in first.' });
      const now = clock.now();
      if (now - (session.lastUsedAt ?? 0) >= TOUCH_EVERY_MS) {
        // Pages can be read while storage cannot write; when this session was last used is then known less well.
        void accounts.touchSession(session.tokenHash, now).catch(() => undefined);
      }
      return session;
    },
    async begin(user, orgId, { client, request }, records = []) {
      const token = newSecret('ses');
      const createdAt = clock.now();
      const expiresAt = createdAt + LIFETIME_MS;
      const begun = await accounts.audited(...records).beginSession(
        {
          tokenHash: hashSecret(token),
          userId: user.id,
          orgId,
          createdAt,
          expiresAt,
          address: client.address,
          userAgent: request.headers.get('user-agent')?.slice(0, MOST_USER_AGENT_LENGTH) ?? null,
        },
        user.passwordHash,
      );
      if (!begun)
        throw new Problem('unauthenticated', { message: 'The password was changed. Log in again.' });
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
