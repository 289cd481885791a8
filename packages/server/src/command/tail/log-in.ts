import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { NotReached, readRefusal, serverAddressOf, whyNotReached } from '../client/server.ts';
import type { CommandContext } from '../command.ts';

/** Logs in to the dashboard, as a person does. Answers the cookie of the session. */
export async function logIn(
  url: string,
  organisation: string | undefined,
  { settings, terminal }: CommandContext,
): Promise<string> {
  const email = settings.SLUICE_EMAIL ?? (await terminal.ask('Email: '));
  const password = settings.SLUICE_PASSWORD ?? (await terminal.askSecret('Password: '));
  let answer = await call(url, 'POST', '/session', { email, password });
  if (!answer.ok) {
    const refusal = await readRefusal(answer);
    if (refusal.code !== 'second_factor_required') throw new Error(refusal.message);
    const code = await terminal.askSecret('Code of your authenticator app: ');
    answer = await call(url, 'POST', '/session', { email, password, code });
    if (!answer.ok) throw new Error((await readRefusal(answer)).message);
  }
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const { data } = (await answer.json()) as { data: WhoAmI };
  if (organisation !== undefined) await moveTo(url, cookie, organisation, data);
  return cookie;
}

async function moveTo(url: string, cookie: string, named: string, me: WhoAmI): Promise<void> {
  const found = me.organisations.find(({ id, name }) => id === named || name === named);
  if (found === undefined) throw new Error(`You are not a member of an organisation "${named}".`);
  const moved = await call(url, 'PUT', '/session/organisation', { id: found.id }, cookie);
  if (!moved.ok) throw new Error((await readRefusal(moved)).message);
}

const call = (url: string, method: string, path: string, body: object, cookie = ''): Promise<Response> =>
  fetch(serverAddressOf(url, `/dashboard/api${path}`), {
    method,
    headers: {
      'content-type': 'application/json',
      'x-sluice-csrf': '1',
      ...(cookie === '' ? {} : { cookie }),
    },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw new NotReached(whyNotReached(url, error));
  });
