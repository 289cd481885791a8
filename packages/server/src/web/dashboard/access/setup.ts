import { Problem } from '../../../core/errors.ts';
import type { AccountStore } from '../../../core/stores/accounts.ts';
import type { Calls } from '../calls.ts';
import type { FirstUser } from './first-user.ts';
import { readWhoAmI, withCookies } from './session.ts';
import type { LoginSessions } from './sessions.ts';
import { networkOf, type Throttle } from './throttle.ts';

/** First run: the one-time code that the server printed opens it, and it closes behind the first user. */
export function setupCalls(
  calls: Calls,
  {
    accounts,
    sessions,
    firstUser,
    throttle,
  }: {
    readonly accounts: Pick<AccountStore, 'listOrganisationsOf'>;
    readonly sessions: LoginSessions;
    readonly firstUser: FirstUser;
    readonly throttle: Throttle;
  },
): void {
  const alreadyDone = () => new Problem('conflict', { message: 'Set-up is complete. Log in instead.' });

  calls.onAnyone('GET /setup', async call => call.answer({ open: await firstUser.isWanted() }));

  calls.onAnyone('POST /setup', async call => {
    if (!(await firstUser.isWanted())) throw alreadyDone();
    const { code, ...input } = await call.body();
    const takeBack = throttle.attempt(`set-up ${networkOf(call.client.address)}`);
    if (!firstUser.isCode(code)) {
      throw new Problem('unauthenticated', {
        message: 'This is not the set-up code. The server printed it when it started.',
      });
    }
    takeBack();
    const made = await firstUser.make(input);
    if (made === null) throw alreadyDone();
    const { session, cookie } = await sessions.begin(made.user, made.orgId, call);
    return withCookies(call.answer(await readWhoAmI(accounts, session), 201), [cookie]);
  });
}
