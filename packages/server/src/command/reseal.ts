import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { lookAtKeys, requireSameKey } from '../core/secrets/key-check.ts';
import type { StorageResealReport } from '../core/secrets/reseal.ts';
import type { SecretKeys } from '../core/secrets/vault.ts';
import type { StorageEngine } from '../core/stores/engine.ts';
import { readSecretKeys } from '../runtime/secret-key.ts';
import { keySourceOf, type Settings } from '../settings.ts';
import { openStorage } from '../storage/open.ts';
import { databaseFile } from '../storage/sqlite/engine.ts';
import { lookAtLock } from '../storage/sqlite/lock.ts';
import { type Command, type Given, report } from './command.ts';
import type { Terminal } from './terminal.ts';

type ResealStorage = (
  engine: StorageEngine,
  keys: SecretKeys,
  work: { readonly checkOnly: boolean; pause(): Promise<unknown>; isStopping(): boolean },
) => Promise<StorageResealReport>;

const MOST_NAMED = 20;

/** `sluice reseal`: seals every secret again with the current key. The work itself is handed in, as for `serve`. */
export const createReseal = (resealStorage: ResealStorage): Command => ({
  name: 'reseal',
  summary: 'Seal every secret again with the current secret key.',
  options: [{ name: 'check', meaning: 'Only count what is left.' }],
  exits: { 0: 'everything is sealed with the current key', 1: 'something is left, or it could not be done' },

  async run(given, { settings, terminal }) {
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const keys = readSecretKeys(keySourceOf(settings));
    const refusal = refuse(settings, directory, keys);
    if (refusal !== null || keys === null) {
      terminal.complain(refusal ?? 'There is no secret key.');
      return 1;
    }
    const engine = await openStorage({
      directory,
      databaseUrl: settings.SLUICE_DATABASE_URL,
      replicas: settings.SLUICE_REQUIRE_REPLICAS,
      onFatal: reason => terminal.complain(reason),
    });
    try {
      const checkOnly = given.has('check');
      await (checkOnly ? lookAtKeys : requireSameKey)(engine.upkeep, keys);
      const outcome = await resealStorage(engine, keys, {
        checkOnly,
        pause: async () => {},
        isStopping: () => false,
      });
      return tell(outcome, keys, given, terminal);
    } finally {
      await engine.close();
    }
  },
});

function refuse(settings: Settings, directory: string, keys: SecretKeys | null): string | null {
  if (settings.SLUICE_DATABASE_URL !== undefined) return null;
  // Opening would make a new, empty one.
  if (!existsSync(databaseFile(directory)))
    return `There is no database in ${directory}. Is SLUICE_DATA_DIR right?`;
  if (keys === null)
    return `There is no secret key: neither SLUICE_SECRET_KEY nor secret.key in ${directory}.`;
  if (lookAtLock(directory).inUse) {
    return 'The service is running. Given both keys, it does this itself at startup and logs when nothing is left. To do it here, stop the service first.';
  }
  return null;
}

function tell(outcome: StorageResealReport, keys: SecretKeys, given: Given, terminal: Terminal): number {
  const { resealed, left, unreadable, settled } = outcome;
  const ending = settled
    ? 'Everything is sealed with the current key. If the key change is finished, the previous key is no longer needed: it may be removed.'
    : 'The previous key is still recorded as in use, and a process without it does not start: run sluice reseal.';
  report(given, terminal, { resealed, left, unreadable, settled }, [
    `${resealed} sealed again, ${left} left.`,
  ]);
  for (const place of unreadable.slice(0, MOST_NAMED)) terminal.complain(`No key at hand opens ${place}.`);
  if (unreadable.length > MOST_NAMED) terminal.complain(`… and ${unreadable.length - MOST_NAMED} more.`);
  if (left === 0 && keys.previous !== null && !given.has('json')) terminal.say(ending);
  return unreadable.length === 0 && left === 0 && settled ? 0 : 1;
}
