import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { newPassword } from '@sluice/contract/dashboard-accounts';
import type { AccountStore } from '../core/stores/accounts.ts';
import { recordsOfPerson } from '../core/stores/configuration/audit.ts';
import { createPasswords } from '../runtime/passwords.ts';
import { openStorage } from '../storage/open.ts';
import { openAccountsBeside } from '../storage/sqlite/beside.ts';
import { databaseFile } from '../storage/sqlite/engine.ts';
import { lookAtLock } from '../storage/sqlite/lock.ts';
import { type Command, type CommandContext, type Given, report } from './command.ts';

const FLAG = 'turn-off-two-factor';

type Accounts = Pick<
  AccountStore,
  'audited' | 'findSecondFactor' | 'findUserByEmail' | 'listOrganisationsOf'
>;

/** `sluice reset-password`: gives a user a new password, for whoever has the machine. */
export const resetPassword: Command = {
  name: 'reset-password',
  summary: 'Give a user a new password, typed or piped in; ends all of their sessions.',
  about: ['It works whether or not the service is running, for anyone who can write to its database.'],
  argument: { name: 'email', meaning: 'The user’s email.', isRequired: true },
  options: [{ name: FLAG, meaning: 'Also turn off two-factor authentication.' }],
  exits: { 0: 'the password was changed', 1: 'it was not changed' },
  examples: ['reset-password ada@example.com'],

  async run(given, context) {
    const { settings, terminal } = context;
    const { argument: email = '' } = given;
    const directory = resolve(settings.SLUICE_DATA_DIR);
    const databaseUrl = settings.SLUICE_DATABASE_URL;
    // Opening would make a new, empty one.
    if (databaseUrl === undefined && !existsSync(databaseFile(directory))) {
      terminal.complain(`There is no database in ${directory}. Is SLUICE_DATA_DIR right?`);
      return 1;
    }
    const { accounts, close } = await openAccounts(directory, context);
    try {
      return await changePassword(accounts, email.toLowerCase(), given, terminal);
    } finally {
      await close();
    }
  },
};

/** On the embedded database beside the server where one is running, and as its only process where none is. */
async function openAccounts(
  directory: string,
  { settings, terminal }: CommandContext,
): Promise<{ accounts: Accounts; close(): void | Promise<void> }> {
  const databaseUrl = settings.SLUICE_DATABASE_URL;
  if (databaseUrl === undefined && lookAtLock(directory).inUse) return openAccountsBeside(directory);
  return openStorage({
    directory,
    databaseUrl,
    replicas: settings.SLUICE_REQUIRE_REPLICAS,
    onFatal: reason => terminal.complain(reason),
  });
}

async function changePassword(
  accounts: Accounts,
  email: string,
  given: Given,
  terminal: CommandContext['terminal'],
): Promise<number> {
  const turnOffSecondFactor = given.has(FLAG);
  const user = await accounts.findUserByEmail(email);
  if (user === null) {
    terminal.complain(`No user has the email ${email}.`);
    return 1;
  }
  const password = await terminal.askSecret(`New password for ${email}: `);
  const checked = newPassword.safeParse(password);
  if (!checked.success) {
    terminal.complain(`The password ${checked.error.issues[0]?.message ?? 'cannot be used.'}`);
    return 1;
  }
  const hadSecondFactor = (await accounts.findSecondFactor(user.id)) !== null;
  const records = recordsOfPerson(await accounts.listOrganisationsOf(user.id), {
    at: Date.now(),
    actor: 'sluice reset-password',
    action: 'user.password_reset',
    target: user.id,
    address: null,
    details: { email, two_factor_turned_off: hadSecondFactor && turnOffSecondFactor },
  });
  const passwordHash = await createPasswords().hash(password);
  await accounts.audited(...records).setPassword(user.id, passwordHash, { turnOffSecondFactor });
  const secondFactor = !hadSecondFactor
    ? []
    : turnOffSecondFactor
      ? ['Two-factor authentication is off: they log in with the password alone.']
      : [`Two-factor authentication stays on: they still need a code. --${FLAG} turns it off.`];
  report(given, terminal, { email, two_factor: hadSecondFactor && !turnOffSecondFactor }, [
    `The password of ${email} was changed, and all of their sessions have ended.`,
    ...secondFactor,
  ]);
  return 0;
}
