import { resolve } from 'node:path';
import { keyCheckValues } from '../core/secrets/key-check.ts';
import { readSecretKeys } from '../runtime/secret-key.ts';
import { adviceOn, declarations, keySourceOf, type SettingName, type Settings } from '../settings.ts';
import { examineStorage } from '../storage/examine.ts';
import type { Command } from './command.ts';

/** `sluice doctor`: shows the settings in use and examines the storage. */
export const doctor: Command = {
  usage: 'doctor',
  summary: 'Show the settings in use and examine the storage; changes no data.',

  async run(_args, { settings, terminal }) {
    terminal.say('Settings');
    for (const name of Object.keys(declarations) as SettingName[]) {
      terminal.say(`  ${name.padEnd(34)} ${describeSetting(name, settings)}`);
    }
    for (const advice of adviceOn(settings)) terminal.say(`\n  Note: ${advice}`);
    terminal.say('\nStorage');
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const keys = readSecretKeys(keySourceOf(settings));
    const findings = await examineStorage({
      directory,
      databaseUrl: settings.SLUICE_DATABASE_URL,
      keyChecks: keys === null ? [] : keyCheckValues(keys),
    });
    for (const { ok, matter, says } of findings) {
      terminal.say(`  ${ok ? 'ok ' : 'BAD'}  ${matter.padEnd(12)} ${says}`);
    }
    const faults = findings.filter(({ ok }) => !ok).length;
    terminal.say(faults === 0 ? '\nAll is well.' : `\n${faults} to see to.`);
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
