import { Problem } from '../../../core/errors.ts';
import { newSecret } from '../../../core/secrets/vault.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { LoginAttempts } from './login-attempts.ts';

/** How passwords are hashed and verified. */
export interface Passwords {
  hash(password: string): Promise<string>;
  matches(password: string, hash: string): Promise<boolean>;
}

/** The user with this email and password; otherwise a 401, or a 429 after too many of them. */
export type CheckPassword = (email: string, password: string, address: string) => Promise<User>;

export function createPasswordCheck(
  accounts: Pick<AccountStore, 'findUserByEmail'>,
  passwords: Passwords,
  attempts: Pick<LoginAttempts, 'begin' | 'refused'>,
): CheckPassword {
  let nobodysHash: Promise<string> | null = null;

  return async (email, password, address) => {
    const takeBack = attempts.begin(email, address);
    // An unknown email is checked against this, so that it takes as long as a wrong password.
    nobodysHash ??= passwords.hash(newSecret('nobody'));
    const otherwise = await nobodysHash;
    const user = await accounts.findUserByEmail(email);
    const isRight = await passwords.matches(password, user?.passwordHash ?? otherwise);
    if (user === null || !isRight) {
      attempts.refused({ email, user, address, outcome: user ? 'wrong_password' : 'unknown_account' });
      throw new Problem('unauthenticated', { message: 'Incorrect email or password.' });
    }
    takeBack();
    return user;
  };
}
