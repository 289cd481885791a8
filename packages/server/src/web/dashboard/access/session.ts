import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Calls } from '../calls.ts';
import { permissionsOf } from '../permissions.ts';
import type { CheckPassword } from './passwords.ts';
import type { LoginSession, LoginSessions } from './sessions.ts';

/** Logging in and out, who I am, and where. */
export function sessionCalls(
  calls: Calls,
  {
    accounts,
    configuration,
    sessions,
    checkPassword,
    clock,
  }: {
    readonly accounts: Pick<AccountStore, 'deleteSession' | 'listOrganisationsOf' | 'moveSession'>;
    readonly configuration: Pick<ConfigurationStore, 'recordAudit'>;
    readonly sessions: LoginSessions;
    readonly checkPassword: CheckPassword;
    readonly clock: Clock;
  },
): void {
  calls.onAnyone('POST /session', async call => {
    const { email, password } = await call.body();
    const user = await checkPassword(email, password, call.client.address);
    const [organisation] = await accounts.listOrganisationsOf(user.id);
    if (!organisation) {
      throw new Problem('forbidden', { message: 'You belong to no organisation any more.' });
    }
    const { session, cookie } = await sessions.begin(user.id, organisation.id, call.client);
    const at = clock.now();
    await configuration.recordAudit({
      id: newId('aud', at),
      orgId: organisation.id,
      at,
      actor: session.email,
      action: 'session.started',
      target: user.id,
      details: { address: call.client.address },
    });
    return withCookies(call.answer(await readWhoAmI(accounts, session)), [cookie]);
  });

  calls.on('GET /session', 'read', async call =>
    withCookies(
      call.answer(await readWhoAmI(accounts, call.session)),
      sessions.renewedCookies(call.request, call.client, call.session),
    ),
  );

  calls.on('DELETE /session', 'read', async call => {
    await accounts.deleteSession(call.session.tokenHash);
    return withCookies(call.answer({ ended: true }), sessions.expiredCookies(call.client));
  });

  calls.on('PUT /session/organisation', 'read', async call => {
    const { id } = await call.body();
    const organisations = await accounts.listOrganisationsOf(call.session.userId);
    if (!organisations.some(organisation => organisation.id === id)) throw new Problem('not_found');
    await accounts.moveSession(call.session.tokenHash, id);
    return call.answer(await readWhoAmI(accounts, await sessions.of(call.request, call.client)));
  });
}

export async function readWhoAmI(
  accounts: Pick<AccountStore, 'listOrganisationsOf'>,
  session: LoginSession,
): Promise<WhoAmI> {
  const organisations = await accounts.listOrganisationsOf(session.userId);
  return {
    user: { id: session.userId, email: session.email },
    organisation: { id: session.orgId, name: session.orgName },
    role: session.role,
    permissions: permissionsOf(session.role),
    organisations: organisations.map(({ id, name, role }) => ({ id, name, role })),
  };
}

export function withCookies<R extends Response>(response: R, cookies: readonly string[]): R {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
