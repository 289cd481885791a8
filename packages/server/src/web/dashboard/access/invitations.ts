import { newPassword } from '@sluice/contract/dashboard-accounts';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { validate } from '../../../core/http/validate.ts';
import { newId } from '../../../core/ids.ts';
import { hashSecret } from '../../../core/secrets/vault.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { Calls } from '../calls.ts';
import type { CheckPassword, Passwords } from './passwords.ts';
import { readWhoAmI, withCookies } from './session.ts';
import type { LoginSessions } from './sessions.ts';

/** Accepting an invitation: it makes the account where there is none, and logs its holder in. */
export function invitationCalls(
  calls: Calls,
  {
    accounts,
    sessions,
    passwords,
    checkPassword,
    clock,
  }: {
    readonly accounts: Pick<
      AccountStore,
      'audited' | 'findInvitation' | 'findOrganisation' | 'listOrganisationsOf'
    >;
    readonly sessions: LoginSessions;
    readonly passwords: Passwords;
    readonly checkPassword: CheckPassword;
    readonly clock: Clock;
  },
): void {
  const gone = () =>
    new Problem('not_found', {
      message: 'There is no such invitation: it was used, withdrawn or has expired.',
    });

  async function newAccount(email: string, password: string): Promise<User> {
    const passwordHash = await passwords.hash(validate(newPassword, password, 'password'));
    const createdAt = clock.now();
    return { id: newId('usr', createdAt), email, passwordHash, createdAt };
  }

  calls.onAnyone('GET /invitations/:code', async call => {
    const invitation = await accounts.findInvitation(hashSecret(call.param('code')), clock.now());
    const organisation = invitation && (await accounts.findOrganisation(invitation.orgId));
    if (!organisation) throw gone();
    const { email, role, hasAccount } = invitation;
    return call.answer({
      email,
      role,
      organisation: { name: organisation.name },
      has_account: hasAccount,
    });
  });

  calls.onAnyone('POST /invitations/:code', async call => {
    const codeHash = hashSecret(call.param('code'));
    const invitation = await accounts.findInvitation(codeHash, clock.now());
    if (invitation === null) throw gone();
    const { orgId, email, role, hasAccount } = invitation;
    const { password } = await call.body();
    const ownAccount = () => checkPassword(email, password, call.client.address);

    const now = clock.now();
    const accept = (account: User) => {
      const [id, action, details] = [newId('aud', now), 'member.joined', { role }];
      const record = { id, orgId, at: now, actor: email, action, target: account.id, details };
      return accounts.audited(record).acceptInvitation(codeHash, now, account);
    };
    let joined = await accept(hasAccount ? await ownAccount() : await newAccount(email, password));
    // An account that was made in the meantime has a password of its own, which is to be proved first.
    if (joined === 'other_account') joined = await accept(await ownAccount());
    if (joined === null || joined === 'other_account') throw gone();
    const { session, cookie } = await sessions.begin(joined.userId, joined.orgId, call.client);
    return withCookies(call.answer(await readWhoAmI(accounts, session), 201), [cookie]);
  });
}
