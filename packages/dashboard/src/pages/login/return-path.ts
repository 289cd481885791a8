const PUBLIC_PAGES = /^\/(login|setup)\b/;

/** Where `?to=` leads, if it is a page of ours. A login that sends people to another host would serve thieves. */
export function returnPath(to: string | undefined, origin: string): string {
  if (to === undefined || !to.startsWith('/') || !URL.canParse(to, origin)) return '/';
  const { origin: there, pathname, search, hash } = new URL(to, origin);
  if (there !== origin || pathname.startsWith('//') || PUBLIC_PAGES.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}
