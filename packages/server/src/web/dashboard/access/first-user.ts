import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { newId } from '../../../core/ids.ts';
import { newSecret, type Vault } from '../../../core/secrets/vault.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { UpkeepStore } from '../../../core/stores/upkeep.ts';
import { keepOperatorOrganisation } from './operator.ts';
import type { Passwords } from './passwords.ts';

/** First run: while there is no user, whoever holds the one-time code makes the first one. */
export interface FirstUser {
  isWanted(): Promise<boolean>;
  /** The same on every node and after every restart, until it has been used. */
  readonly code: string;
  isCode(given: string): boolean;
  /** Null when somebody was first. */
  make(input: { organisation: string; email: string; password: string }): Promise<Made | null>;
}

interface Made {
  readonly user: User;
  readonly orgId: string;
}

const CODE_LENGTH = 24;

export async function prepareFirstUser(
  {
    accounts,
    upkeep,
  }: {
    readonly accounts: Pick<AccountStore, 'hasUsers' | 'audited'>;
    readonly upkeep: Pick<UpkeepStore, 'keepSetting'>;
  },
  { vault, clock, passwords }: { vault: Vault; clock: Clock; passwords: Passwords },
): Promise<FirstUser> {
  const installation = await upkeep.keepSetting('installation', newSecret('installation'));
  const code = vault.digest('set-up code', installation).slice(0, CODE_LENGTH);
  let wanted = true;

  return {
    code,
    async isWanted() {
      // Users are never removed altogether, so once there is one the question is settled.
      wanted &&= !(await accounts.hasUsers());
      return wanted;
    },
    isCode(given) {
      const [a, b] = [vault.digest('set-up attempt', given), vault.digest('set-up attempt', code)];
      return timingSafeEqual(Buffer.from(a), Buffer.from(b));
    },
    async make({ organisation, email, password }) {
      const now = clock.now();
      const passwordHash = await passwords.hash(password);
      const user = { id: newId('usr', now), email, passwordHash, createdAt: now };
      const org = {
        id: newId('org', now),
        name: organisation,
        retentionDays: null,
        searchableTraits: [],
        createdAt: now,
      };
      const changes = accounts.audited({
        id: newId('aud', now),
        orgId: org.id,
        at: now,
        actor: email,
        action: 'organisation.created',
        target: org.id,
        address: null,
        details: { name: organisation },
      });
      if (!(await changes.createFirstUser(user, org))) return null;
      await keepOperatorOrganisation(upkeep, org.id);
      return { user, orgId: org.id };
    },
  };
}
