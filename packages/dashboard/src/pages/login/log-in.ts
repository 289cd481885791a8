import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';

/** Goes inside as somebody who has just logged in; nothing of whoever was here before is kept. */
export function useLogIn(): (who: WhoAmI, path: string) => void {
  const queries = useQueryClient();
  const router = useRouter();
  return (who, path) => {
    queries.clear();
    queries.setQueryData(['call', '/session'], who);
    router.history.replace(path);
  };
}

const PAGES_OUTSIDE = /^\/(login|setup)\b/;

/** Where `?to=` leads, if it is a page of ours. A login that sends people to another host would serve thieves. */
export function pageWithin(to: string | undefined, origin: string): string {
  if (to === undefined || !to.startsWith('/') || !URL.canParse(to, origin)) return '/';
  const { origin: there, pathname, search, hash } = new URL(to, origin);
  if (there !== origin || pathname.startsWith('//') || PAGES_OUTSIDE.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}
