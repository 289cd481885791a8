import { type Clock, seconds, systemClock } from '../core/clock.ts';
import { createVault, type SecretKeys, type Vault } from '../core/secrets/vault.ts';
import { createSignal, type Signal } from '../core/work/signal.ts';
import { createPasswords } from '../runtime/passwords.ts';
import { keepSecretKeys } from '../runtime/secret-key.ts';
import { keySourceOf, type Settings } from '../settings.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import type { Passwords } from '../web/dashboard/access/passwords.ts';

/** What somebody else may choose: tests have a clock of their own, passwords that cost little, and look for trouble at once. */
export interface FoundationOptions {
  readonly clock: Clock;
  readonly passwords: Passwords;
  /** Between two looks for what is worth a system event. */
  readonly alertsEveryMs: number;
}

/** What every part is built on: settings, clock, log, secrets, and the signals by which parts announce work. */
export interface Foundation extends FoundationOptions {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly vault: Vault;
  readonly secretKeys: SecretKeys;
  /** Events were accepted or put off: there is something to run. */
  readonly eventsDue: Signal;
  /** Deliveries were made, retried or resumed: there is something to send. */
  readonly deliveriesDue: Signal;
  /** Requests are still served, and should be sent elsewhere from now on. */
  isDraining(): boolean;
  beginDrain(): void;
  isStopping(): boolean;
  /** From now on nothing new is begun. */
  beginStop(): void;
  /** Logs what went wrong with this. */
  warn(what: string): (error: unknown) => void;
}

export function layFoundation(
  settings: Settings,
  {
    clock = systemClock,
    passwords = createPasswords(),
    alertsEveryMs = seconds(5),
  }: Partial<FoundationOptions>,
): Foundation {
  const logger = createLogger(settings.SLUICE_LOG_LEVEL);
  const secretKeys = keepSecretKeys(keySourceOf(settings));
  let draining = false;
  let stopping = false;
  return {
    settings,
    clock,
    passwords,
    alertsEveryMs,
    logger,
    vault: createVault(secretKeys.present, secretKeys.previous),
    secretKeys,
    eventsDue: createSignal(),
    deliveriesDue: createSignal(),
    isDraining: () => draining,
    beginDrain() {
      draining = true;
    },
    isStopping: () => stopping,
    beginStop() {
      draining = true;
      stopping = true;
    },
    warn: what => error => logger.warn({ err: error }, what),
  };
}
