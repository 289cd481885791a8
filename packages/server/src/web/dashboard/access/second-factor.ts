import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { Problem } from '../../../core/errors.ts';
import { stepOfCode, toBase32 } from '../../../core/secrets/totp.ts';
import { hashSecret, type SecretPlace, type Vault } from '../../../core/secrets/vault.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import { recordsOfPerson } from '../../../core/stores/configuration/audit.ts';
import type { LoginAttempts } from './login-attempts.ts';

/**
 * The second factor of somebody whose password is right: a code of their app, or a recovery code. That the password is
 * right is told by asking for the code, and cannot be kept from whoever knows it; a wrong code counts as a wrong
 * password does, under the same names.
 */
type CheckSecondFactor = (
  user: User,
  code: string | undefined,
  address: string,
) => Promise<'none' | 'totp' | 'recovery_code'>;

export interface SecondFactors {
  readonly check: CheckSecondFactor;
  seal(userId: string, secret: string): string;
}

export function createSecondFactors({
  accounts,
  vault,
  clock,
  attempts,
}: {
  readonly accounts: Pick<
    AccountStore,
    'audited' | 'findSecondFactor' | 'listOrganisationsOf' | 'spendTotpStep'
  >;
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly clock: Clock;
  readonly attempts: LoginAttempts;
}): SecondFactors {
  async function spendCode(user: User, sealedSecret: string, code: string): Promise<boolean> {
    const secret = vault.open(sealedSecret, placeOf(user.id));
    const step = stepOfCode(secret, code, clock.now());
    return step !== null && accounts.spendTotpStep(user.id, step);
  }

  async function spendRecoveryCode({ id, email }: User, code: string, address: string): Promise<boolean> {
    const entry = {
      at: clock.now(),
      actor: email,
      action: 'recovery_code.used',
      target: id,
      address,
    } as const;
    const organisations = await accounts.listOrganisationsOf(id);
    const changes = accounts.audited(...recordsOfPerson(organisations, { ...entry, details: { address } }));
    return changes.spendRecoveryCode(id, hashRecoveryCode(code));
  }

  return {
    seal: (userId, secret) => vault.seal(secret, placeOf(userId)),
    async check(user, given, address) {
      const factor = await accounts.findSecondFactor(user.id);
      if (factor === null) return 'none';
      if (given === undefined) {
        attempts.halfWay(user, address);
        throw new Problem('second_factor_required');
      }
      const takeBack = attempts.begin(user.email, address);
      const code = given.replace(/\s/g, '');
      const kind = /^\d{6}$/.test(code) ? 'totp' : 'recovery_code';
      const isRight =
        kind === 'totp'
          ? await spendCode(user, factor.sealedSecret, code)
          : await spendRecoveryCode(user, code, address);
      if (!isRight) {
        attempts.refused({ email: user.email, user, address, outcome: 'wrong_code' });
        throw new Problem('unauthenticated', {
          path: 'code',
          message: 'This code is incorrect, or was used before. Wait for the next one.',
        });
      }
      takeBack();
      return kind;
    },
  };
}

const RECOVERY_CODES = 10;
/** 80 bits: a plain hash of it gives nothing away, however long somebody tries. */
const RECOVERY_CODE_BYTES = 10;

/** `abcd-efgh-ijkl-mnop`, ten times. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const text = toBase32(randomBytes(RECOVERY_CODE_BYTES)).toLowerCase();
    return (text.match(/.{4}/g) ?? []).join('-');
  });

/** However it was typed: with or without dashes and capitals. */
export const hashRecoveryCode = (code: string): string =>
  hashSecret(code.toLowerCase().replace(/[^a-z0-9]/g, ''));

/** It belongs to a person, in whatever organisations they are. */
const placeOf = (userId: string): SecretPlace => ({ orgId: '', id: userId, field: 'secret' });
