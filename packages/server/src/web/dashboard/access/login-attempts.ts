import { alertThresholds } from '@sluice/contract/system-events';
import { LRUCache } from 'lru-cache';
import { type Clock, minutes } from '../../../core/clock.ts';
import type { AccountStore, User } from '../../../core/stores/accounts.ts';
import type { AlertStore } from '../../../core/stores/alerts.ts';
import { recordsOfPerson } from '../../../core/stores/configuration/audit.ts';
import type { ConfigurationStore } from '../../../core/stores/configuration.ts';
import type { Logger } from '../../../telemetry/logger.ts';
import { networkOf, type Throttle } from './throttle.ts';

/**
 * What became of attempts to prove who one is. Each is logged with where it came from; from the third failure in a row
 * on, the person's organisations have it in their audit log, and from the tenth on an alert. The log names users by
 * their ids: what was typed as an email may well be a password.
 */
export interface LoginAttempts {
  /** Throws a 429 after too many that failed. Answers how to take this one back, for one that succeeds. */
  begin(email: string, address: string): () => void;
  refused(attempt: RefusedAttempt): void;
  /** The password is right; the code is still to come. */
  halfWay(user: User, address: string): void;
  succeeded(user: User, address: string, secondFactor: string): void;
}

interface RefusedAttempt {
  /** As it was typed. */
  readonly email: string;
  readonly user: User | null;
  readonly address: string;
  readonly outcome: 'wrong_password' | 'unknown_account' | 'wrong_code' | 'no_organisation';
}

const AUDITED_FROM = 3;
/** As many as the throttle keeps. */
const MOST_NAMES = 20_000;

export function createLoginAttempts({
  accounts,
  configuration,
  alerts,
  clock,
  logger,
  throttle,
}: {
  readonly accounts: Pick<AccountStore, 'listOrganisationsOf'>;
  readonly configuration: Pick<ConfigurationStore, 'recordAudit'>;
  readonly alerts: Pick<AlertStore, 'beginAlert'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly throttle: Throttle;
}): LoginAttempts {
  const inARow = new LRUCache<string, number>({ max: MOST_NAMES });

  async function audit({ user, address, outcome }: RefusedAttempt, count: number): Promise<void> {
    if (user === null) return;
    const at = clock.now();
    const details = { address, outcome, in_a_row: count };
    const entry = {
      at,
      actor: 'unknown',
      action: 'login.failed',
      target: user.id,
      address,
      details,
    } as const;
    const organisations = await accounts.listOrganisationsOf(user.id);
    for (const record of recordsOfPerson(organisations, entry)) await configuration.recordAudit(record);
    if (count < alertThresholds.failedLogins) return;
    for (const { id: orgId, role } of organisations) {
      const subject = { type: 'member', id: user.id, name: user.email, kind: role } as const;
      await alerts.beginAlert(
        {
          ...{ orgId, type: 'sluice.login.suspicious', subjectId: user.id, since: at },
          details: { subject, counts: { failed: count }, address },
        },
        at - minutes(alertThresholds.quietMinutes),
      );
    }
  }

  return {
    begin(email, address) {
      try {
        return throttle.attempt(`email ${email}`, `address ${networkOf(address)}`);
      } catch (problem) {
        logger.warn({ address, outcome: 'rate_limited' }, 'login');
        throw problem;
      }
    },
    refused(attempt) {
      const { email, user, address, outcome } = attempt;
      logger.warn({ address, outcome, user: user?.id }, 'login');
      const count = (inARow.get(email) ?? 0) + 1;
      inARow.set(email, count);
      if (count < AUDITED_FROM) return;
      // Nobody waits for it: an answer that takes longer would tell that there is such an account.
      void audit(attempt, count).catch((error: unknown) =>
        logger.warn({ err: error }, 'login is not on record'),
      );
    },
    halfWay(user, address) {
      logger.info({ address, outcome: 'code_required', user: user.id }, 'login');
    },
    succeeded(user, address, secondFactor) {
      inARow.delete(user.email);
      logger.info({ address, outcome: 'succeeded', user: user.id, second_factor: secondFactor }, 'login');
    },
  };
}
