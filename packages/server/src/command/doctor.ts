import { resolve } from 'node:path';
import { keyCheckValues } from '../core/secrets/key-check.ts';
import { readSecretKeys } from '../runtime/secret-key.ts';
import { adviceOn, declarations, keySourceOf, type SettingName, type Settings } from '../settings.ts';
import { examineStorage } from '../storage/examine.ts';
import { type Command, report } from './command.ts';

/** `sluice doctor`: shows the settings in use and examines the storage. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'Show the settings in use and examine the storage; changes no data.',
  exits: { 0: 'no problems found', 1: 'something needs attention, or could not be examined' },

  async run(given, { settings, terminal }) {
    const names = Object.keys(declarations) as SettingName[];
    const shown = names.map(name => [name, describeSetting(name, settings)] as const);
    const advice = adviceOn(settings);
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const keys = readSecretKeys(keySourceOf(settings));
    const findings = await examineStorage({
      directory,
      databaseUrl: settings.SLUICE_DATABASE_URL,
      replicas: settings.SLUICE_REQUIRE_REPLICAS,
      keyChecks: keys === null ? [] : keyCheckValues(keys),
    });
    const faults = findings.filter(({ ok }) => !ok).length;
    report(given, terminal, { ok: faults === 0, settings: Object.fromEntries(shown), advice, findings }, [
      'Settings',
      ...shown.map(([name, value]) => `  ${name.padEnd(34)} ${value}`),
      ...advice.map(line => `\n  Note: ${line}`),
      '\nStorage',
      ...findings.map(({ ok, matter, says }) => `  ${ok ? 'ok ' : 'BAD'}  ${matter.padEnd(12)} ${says}`),
      faults === 0 ? '\nNo problems found.' : `\nProblems found: ${faults}.`,
    ]);
    return faults === 0 ? 0 : 1;
  },
};

function describeSetting(name: SettingName, settings: Settings): string {
  const { default: fallback, secret } = declarations[name] as { default: unknown; secret?: true };
  const value = settings[name];
  if (value === undefined) return 'not set';
  if (secret) return 'set, hidden';
  const shown = Array.isArray(value) ? value.join(',') || 'none' : String(value);
  return String(value) === String(fallback) ? `${shown} (default)` : shown;
}
