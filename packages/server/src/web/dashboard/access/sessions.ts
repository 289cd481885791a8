import { generateCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';
import { type Clock, days, minutes } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { hashSecret, newSecret } from '../../../core/secrets/vault.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { Client } from '../../client.ts';

/** Who is asking, in which organisation, with which role there as of now. */
export type LoginSession = NonNullable<Awaited<ReturnType<AccountStore['findSession']>>>;

export interface LoginSessions {
  /** The session of the request's cookie, and of nothing else. Throws a 401 where there is none. */
  of(request: Request): Promise<LoginSession>;
  /** Begins one, with the records of it: the session, and the cookie that proves it. */
  begin(
    user: Pick<User, 'id' | 'passwordHash'>,
    orgId: string,
    from: { readonly client: Client; readonly request: Request },
    records?: readonly AuditEntry[],
  ): Promise<{ session: LoginSession; cookie: string }>;
  /** The cookie that replaces the session's in the browser, and expires at once. */
  expiredCookie(client: Client): string;
}

const COOKIE = 'sluice_session';
const LIFETIME_MS = days(14);
/** The list of sessions is exact to this; a write with every call would be too much for it. */
const TOUCH_EVERY_MS = minutes(1);
const MOST_USER_AGENT_LENGTH = 256;

export function createSessions(
  accounts: Pick<AccountStore, 'audited' | 'findSession' | 'touchSession'>,
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
      const session = await find(hashSecret(token));
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
        cookie: cookie(token, LIFETIME_MS / 1_000, client),
      };
    },
    expiredCookie: client => cookie('', 0, client),
  };
}
