import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { newId } from '../../../core/ids.ts';
import { hashSecret } from '../../../core/secrets/vault.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import type { Calls } from '../calls.ts';
import type { LoginAttempts } from './login-attempts.ts';
import type { CheckPassword, Passwords } from './passwords.ts';
import type { SecondFactors } from './second-factor.ts';
import { readWhoAmI, withCookies } from './session.ts';
import type { LoginSessions } from './sessions.ts';

/**
 * Accepting an invitation logs its holder in. Where its email has no account, whoever holds the code sets the password;
 * an account proves itself as at a login, also one that belongs to no organisation any more. Otherwise whoever removes
 * somebody could invite them again, accept, and act under their name.
 */
export function invitationCalls(
  calls: Calls,
  {
    accounts,
    sessions,
    passwords,
    checkPassword,
    secondFactors,
    attempts,
    clock,
  }: {
    readonly accounts: Pick<
      AccountStore,
      'audited' | 'findInvitation' | 'findOrganisation' | 'findUserByEmail' | 'listOrganisationsOf'
    >;
    readonly sessions: LoginSessions;
    readonly passwords: Passwords;
    readonly checkPassword: CheckPassword;
    readonly secondFactors: SecondFactors;
    readonly attempts: LoginAttempts;
    readonly clock: Clock;
  },
): void {
  const gone = () =>
    new Problem('not_found', {
      message: 'There is no such invitation: it was used or revoked, or has expired.',
    });

  async function newAccount(email: string, password: string): Promise<User> {
    const passwordHash = await passwords.hash(password);
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
    const { orgId, email, role, invitedBy } = invitation;
    const { password, code } = await call.body();
    const { address } = call.client;

    const now = clock.now();
    const accept = async (account: User) => {
      const record: AuditEntry = {
        id: newId('aud', now),
        orgId,
        at: now,
        actor: email,
        action: 'member.joined',
        target: account.id,
        address,
        details: { role, invited_by: invitedBy, address },
      };
      const joined = await accounts.audited(record).acceptInvitation(codeHash, now, account);
      if (joined === null) throw gone();
      return joined === 'other_account' ? joined : { ...joined, account };
    };
    const ownAccount = async () => {
      const user = await checkPassword(email, password, address);
      attempts.succeeded(user, address, await secondFactors.check(user, code, address));
      return accept(user);
    };
    const found = await accounts.findUserByEmail(email);
    let joined = found === null ? await accept(await newAccount(email, password)) : await ownAccount();
    // An account that was made in the meantime has a password of its own, which is to be proved first.
    if (joined === 'other_account') joined = await ownAccount();
    if (joined === 'other_account') throw gone();
    const { session, cookie } = await sessions.begin(joined.account, joined.orgId, call);
    return withCookies(call.answer(await readWhoAmI(accounts, session), 201), [cookie]);
  });
}
