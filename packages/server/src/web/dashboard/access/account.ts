import type { AuditAction } from '@sluice/contract/dashboard-audit';
import type { AccountRecord, OwnSessionRecord } from '@sluice/contract/dashboard-own-account';
import { type Clock, toRfc3339 } from '../../../core/clock.ts';
import { invalid, Problem } from '../../../core/errors.ts';
import { newTotpSecret, stepOfCode, totpUri } from '../../../core/secrets/totp.ts';
import type { AccountStore, ListedSession, User } from '../../../core/stores/accounts.ts';
import type { AuditEntry } from '../../../core/stores/configuration/audit.ts';
import { pageOf } from '../../paging.ts';
import type { Calls } from '../calls.ts';
import type { AuditDetails, SessionCall } from '../exchange.ts';
import { optionalTime } from '../records.ts';
import type { CheckPassword, Passwords } from './passwords.ts';
import { hashRecoveryCode, newRecoveryCodes, type SecondFactors } from './second-factor.ts';

/** One's own account, whatever the role: how times are shown, the password, the sessions, the second factor. */
export function accountCalls(
  calls: Calls,
  {
    accounts,
    passwords,
    checkPassword,
    secondFactors,
    clock,
  }: {
    readonly accounts: Pick<
      AccountStore,
      'audited' | 'findSecondFactor' | 'listOrganisationsOf' | 'listSessions' | 'setTimeDisplay'
    >;
    readonly passwords: Passwords;
    readonly checkPassword: CheckPassword;
    readonly secondFactors: SecondFactors;
    readonly clock: Clock;
  },
): void {
  /** What concerns the person is on record in all of their organisations. */
  async function records(
    call: SessionCall,
    action: AuditAction,
    details: AuditDetails = {},
  ): Promise<AuditEntry[]> {
    const { userId } = call.session;
    const all = { address: call.client.address, ...details };
    return (await accounts.listOrganisationsOf(userId)).map(({ id }) => call.record(action, userId, all, id));
  }

  /** As slow for whoever guesses as the login. No 401: the session is as good as it was. */
  async function provePassword({ session, client }: SessionCall, password: string): Promise<User> {
    try {
      return await checkPassword(session.email, password, client.address);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error;
      throw invalid('password', 'password is incorrect.');
    }
  }

  async function show({ session }: SessionCall): Promise<AccountRecord> {
    const factor = await accounts.findSecondFactor(session.userId);
    return {
      email: session.email,
      time_zone: session.timeZone,
      clock: session.clock,
      second_factor: {
        on: factor !== null,
        since: optionalTime(factor?.createdAt ?? null),
        recovery_codes_left: factor?.recoveryCodesLeft ?? 0,
      },
    };
  }

  const changedMeanwhile = () =>
    invalid('password', 'password was changed in the meantime: enter the new one.');

  calls.on('GET /account', 'read', async call => call.answer(await show(call)));

  calls.on('PATCH /account', 'read', async call => {
    const change = await call.body();
    await accounts.setTimeDisplay(call.session.userId, change);
    const { time_zone, clock, ...rest } = await show(call);
    return call.answer({ ...rest, time_zone: change.time_zone ?? time_zone, clock: change.clock ?? clock });
  });

  calls.on('PUT /account/password', 'read', async call => {
    const { password, new_password } = await call.body();
    const { id, passwordHash: provedHash } = await provePassword(call, password);
    const passwordHash = await passwords.hash(new_password);
    const changes = accounts.audited(...(await records(call, 'user.password_changed')));
    const keepSession = call.session.tokenHash;
    if (!(await changes.setPassword(id, passwordHash, { provedHash, keepSession }))) throw changedMeanwhile();
    return call.answer({ changed: true });
  });

  calls.on('GET /account/sessions', 'read', async call => {
    const page = call.page('account sessions', call.query());
    const listed = await accounts.listSessions(call.session.userId, clock.now());
    const order = { keyOf: orderOf, direction: 'descending' } as const;
    const { rows, next } = pageOf(listed.toSorted(byOrder), order, page);
    return page.answer(rows.map(toRecord(call.session.tokenHash)), next);
  });

  calls.on('DELETE /account/sessions', 'read', async call => {
    const changes = accounts.audited(...(await records(call, 'session.ended', { which: 'all others' })));
    await changes.endOtherSessions(call.session.userId, call.session.tokenHash);
    return call.answer({ ended: true });
  });

  calls.on('DELETE /account/sessions/:id', 'read', async call => {
    const id = call.param('id');
    const listed = await accounts.listSessions(call.session.userId, clock.now());
    const session = listed.find(one => idOf(one) === id);
    if (!session) throw new Problem('not_found');
    const details = { began_at: toRfc3339(session.createdAt), began_from: session.address };
    const changes = accounts.audited(...(await records(call, 'session.ended', details)));
    if (!(await changes.endSession(call.session.userId, session.tokenHash))) throw new Problem('not_found');
    return call.answer({ id, deleted: true });
  });

  calls.on('POST /account/second-factor/offer', 'read', async call => {
    const secret = newTotpSecret();
    return call.answer({ secret, uri: totpUri(secret, call.session.email) });
  });

  calls.on('PUT /account/second-factor', 'read', async call => {
    const { password, secret, code } = await call.body();
    const user = await provePassword(call, password);
    const now = clock.now();
    const step = stepOfCode(secret, code.replace(' ', ''), now);
    if (step === null) {
      throw invalid('code', "code is incorrect. Check your device's clock.");
    }
    const codes = newRecoveryCodes();
    const changes = accounts.audited(...(await records(call, 'second_factor.turned_on')));
    const factor = { sealedSecret: secondFactors.seal(user.id, secret), step, createdAt: now };
    const outcome = await changes.turnOnSecondFactor(user, factor, codes.map(hashRecoveryCode));
    if (outcome === 'password_changed') throw changedMeanwhile();
    if (outcome === 'already_on') {
      throw new Problem('conflict', { message: 'Two-factor authentication is already on.' });
    }
    return call.answer({ recovery_codes: codes });
  });

  function requireChanged(outcome: 'changed' | 'already_off' | 'password_changed'): void {
    if (outcome === 'password_changed') throw changedMeanwhile();
    if (outcome === 'already_off') {
      throw new Problem('conflict', { message: 'Two-factor authentication is off.' });
    }
  }

  calls.on('POST /account/second-factor/recovery-codes', 'read', async call => {
    const user = await provePassword(call, (await call.body()).password);
    const codes = newRecoveryCodes();
    const changes = accounts.audited(...(await records(call, 'recovery_codes.replaced')));
    requireChanged(await changes.replaceRecoveryCodes(user, codes.map(hashRecoveryCode)));
    return call.answer({ recovery_codes: codes });
  });

  calls.on('POST /account/second-factor/off', 'read', async call => {
    const user = await provePassword(call, (await call.body()).password);
    const changes = accounts.audited(...(await records(call, 'second_factor.turned_off')));
    requireChanged(await changes.turnOffSecondFactor(user));
    return call.answer(await show(call));
  });
}

/** Enough of the hash to tell sessions apart; nobody comes from it to the token. */
const idOf = ({ tokenHash }: ListedSession): string => tokenHash.slice(0, 16);

/** The latest first, also where two began in one millisecond. */
const orderOf = (session: ListedSession): string => `${toRfc3339(session.createdAt)} ${session.tokenHash}`;
const byOrder = (a: ListedSession, b: ListedSession): number => (orderOf(a) < orderOf(b) ? 1 : -1);

const toRecord =
  (current: string) =>
  (session: ListedSession): OwnSessionRecord => ({
    id: idOf(session),
    started_at: toRfc3339(session.createdAt),
    last_used_at: optionalTime(session.lastUsedAt),
    address: session.address,
    user_agent: session.userAgent,
    current: session.tokenHash === current,
  });
