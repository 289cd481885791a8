import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { newPassword } from '@sluice/contract/dashboard-accounts';
import { newId } from '../core/ids.ts';
import type { AccountStore } from '../core/stores/accounts.ts';
import { createPasswords } from '../runtime/passwords.ts';
import { openStorage } from '../storage/open.ts';
import { databaseFile } from '../storage/sqlite/engine.ts';
import type { Command, CommandContext } from './command.ts';

/** `sluice reset-password`: gives a user a new password, for whoever has the machine. */
export const resetPassword: Command = {
  usage: 'reset-password <email>',
  summary: 'Give a user a new password, typed or piped in; ends all of their sessions.',

  async run([email], { settings, terminal }) {
    if (email === undefined) {
      terminal.complain('Whose? sluice reset-password <email>');
      return 2;
    }
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const databaseUrl = settings.SLUICE_DATABASE_URL;
    // Opening would make a new, empty one.
    if (databaseUrl === undefined && !existsSync(databaseFile(directory))) {
      terminal.complain(`There is no database in ${directory}. Is SLUICE_DATA_DIR right?`);
      return 1;
    }
    const engine = await openStorage({
      directory,
      databaseUrl,
      onFatal: reason => terminal.complain(reason),
    });
    try {
      return await changePassword(engine.accounts, email.toLowerCase(), terminal);
    } finally {
      await engine.close();
    }
  },
};

async function changePassword(
  accounts: Pick<AccountStore, 'audited' | 'findUserByEmail' | 'listOrganisationsOf'>,
  email: string,
  terminal: CommandContext['terminal'],
): Promise<number> {
  const user = await accounts.findUserByEmail(email);
  if (user === null) {
    terminal.complain(`No user has the e-mail ${email}.`);
    return 1;
  }
  const password = await terminal.askSecret(`New password for ${email}: `);
  const checked = newPassword.safeParse(password);
  if (!checked.success) {
    terminal.complain(`The password ${checked.error.issues[0]?.message ?? 'cannot be used.'}`);
    return 1;
  }
  const at = Date.now();
  const records = (await accounts.listOrganisationsOf(user.id)).map(({ id: orgId }) => ({
    id: newId('aud', at),
    orgId,
    at,
    actor: 'sluice reset-password',
    action: 'user.password_reset',
    target: user.id,
    details: { email },
  }));
  await accounts.audited(...records).setPassword(user.id, await createPasswords().hash(password));
  terminal.say(`The password of ${email} is changed, and all of their sessions are ended.`);
  return 0;
}
