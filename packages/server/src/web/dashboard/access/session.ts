import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import { recordsOfPerson } from '../../../core/stores/configuration/audit.ts';
import type { Calls } from '../calls.ts';
import { permissionsOf } from '../permissions.ts';
import type { LoginAttempts } from './login-attempts.ts';
import type { CheckPassword } from './passwords.ts';
import type { SecondFactors } from './second-factor.ts';
import type { LoginSession, LoginSessions } from './sessions.ts';

/** Logging in and out, who I am, and where. */
export function sessionCalls(
  calls: Calls,
  {
    accounts,
    sessions,
    checkPassword,
    secondFactors,
    attempts,
    clock,
  }: {
    readonly accounts: Pick<
      AccountStore,
      | 'deleteSession'
      | 'findLastOrganisation'
      | 'listOrganisationsOf'
      | 'moveSession'
      | 'rememberOrganisation'
    >;
    readonly sessions: LoginSessions;
    readonly checkPassword: CheckPassword;
    readonly secondFactors: SecondFactors;
    readonly attempts: LoginAttempts;
    readonly clock: Clock;
  },
): void {
  calls.onAnyone('POST /session', async call => {
    const { email, password, code } = await call.body();
    const { address } = call.client;
    const user = await checkPassword(email, password, address);
    const secondFactor = await secondFactors.check(user, code, address);
    const mine = await accounts.listOrganisationsOf(user.id);
    const last = await accounts.findLastOrganisation(user.id);
    const organisation = mine.find(({ id }) => id === last) ?? mine[0];
    if (!organisation) {
      attempts.refused({ email, user, address, outcome: 'no_organisation' });
      throw new Problem('forbidden', { message: 'You no longer belong to any organisation.' });
    }
    // Not in the others: that somebody works elsewhere, and when, is nothing to them.
    const records = recordsOfPerson([organisation], {
      at: clock.now(),
      actor: user.email,
      action: 'session.started',
      target: user.id,
      address,
      details: { address, second_factor: secondFactor },
    });
    const { session, cookie } = await sessions.begin(user, organisation.id, call, records);
    attempts.succeeded(user, address, secondFactor);
    return withCookies(call.answer(await readWhoAmI(accounts, session)), [cookie]);
  });

  calls.on('GET /session', 'read', async call => {
    const { userId, orgId, lastOrgId } = call.session;
    // The dashboard asks this when it is opened or looked at again, by whatever link. The session stays where it is, or else
    // two tabs would move each other; and pages can be read while storage cannot write.
    if (orgId !== lastOrgId) void accounts.rememberOrganisation(userId, orgId).catch(() => undefined);
    return withCookies(
      call.answer(await readWhoAmI(accounts, call.session)),
      sessions.renewedCookies(call.request, call.client, call.session),
    );
  });

  calls.on('DELETE /session', 'read', async call => {
    await accounts.deleteSession(call.session.tokenHash);
    return withCookies(call.answer({ ended: true }), sessions.expiredCookies(call.client));
  });

  calls.on('PUT /session/organisation', 'read', async call => {
    const { id } = await call.body();
    const organisations = await accounts.listOrganisationsOf(call.session.userId);
    const there = organisations.find(organisation => organisation.id === id);
    if (there === undefined) throw new Problem('not_found');
    await accounts.moveSession(call.session.tokenHash, id, clock.now());
    const session = {
      ...call.session,
      orgId: id,
      orgName: there.name,
      orgSlug: there.slug,
      role: there.role,
    };
    return call.answer(await readWhoAmI(accounts, session));
  });
}

export async function readWhoAmI(
  accounts: Pick<AccountStore, 'listOrganisationsOf'>,
  session: LoginSession,
): Promise<WhoAmI> {
  const organisations = await accounts.listOrganisationsOf(session.userId);
  return {
    user: {
      id: session.userId,
      email: session.email,
      time_zone: session.timeZone,
      clock: session.clock,
    },
    organisation: { id: session.orgId, name: session.orgName, slug: session.orgSlug },
    role: session.role,
    permissions: permissionsOf(session.role),
    organisations: organisations.map(({ id, name, slug, role }) => ({ id, name, slug, role })),
  };
}

export function withCookies<R extends Response>(response: R, cookies: readonly string[]): R {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
