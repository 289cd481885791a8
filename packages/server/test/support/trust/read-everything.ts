import { privateCalls, type Route } from '@sluice/contract/private-calls';
import { type Browser, cookieOf, readAll } from '../dashboard.ts';
import { callCases, routes } from './call-cases.ts';

/** Whatever this person can read, by the table of calls: every list, and each call about each of its rows. */
export async function readEverything(url: string, browser: Browser): Promise<Map<string, string>> {
  const read = new Map<string, string>();
  const get = async (path: string) => {
    const response = await fetch(`${url}/dashboard/api${path}`, {
      headers: { Cookie: cookieOf(browser) },
    });
    read.set(path, await response.text());
  };
  const gets = routes.filter(
    route =>
      route.startsWith('GET ') && !route.startsWith('GET /live') && callCases[route].least !== 'anyone',
  );
  for (const route of gets.filter(one => !one.includes('/:'))) {
    const path = route.slice(4);
    await get(`${path}?${new URLSearchParams(callCases[route].query)}`.replace(/\?$/, ''));
    if (!isList(route)) continue;
    const about = gets.filter(one => one.startsWith(`GET ${path}/:`));
    for (const row of await readAll<Record<string, string>>(browser, path)) {
      for (const one of about)
        await get(one.slice(4).replaceAll(/:(\w+)/g, (_, name: string) => row[name] ?? ''));
    }
  }
  for (const path of ['/events/export', '/audit/export']) await get(`${path}?format=csv`);
  return read;
}

export const isList = (route: Route): boolean => privateCalls[route].answer.kind === 'list';
