import { splitOrganisation, withOrganisation } from '@sluice/contract/organisation-address';

/** Pages that need nobody to be logged in. */
const PUBLIC = /^\/(login|setup|invitations)(\/|$)/;
/** Pages of a person and not of an organisation: with the side bar around them, they are looked at from within one. */
const OF_PERSON = /^\/account(\/|$)/;

export const isPublic = (path: string): boolean => PUBLIC.test(path);

export const isOutside = (path: string): boolean => isPublic(path) || OF_PERSON.test(path);

const KEPT = 'organisation';

/**
 * Which organisation a tab shows: the one that its address names. On a page of a person it stays the one before, or else
 * the side bar would follow what another tab has switched to, with what was read in this one still there. The router
 * knows addresses without it, so that pages link to each other as if there were one organisation; it is taken off and
 * put back on here.
 */
export function slugOfTab(): string | null {
  if (typeof window === 'undefined') return null;
  const { pathname } = window.location;
  const { slug } = splitOrganisation(pathname);
  return slug ?? (OF_PERSON.test(pathname) ? sessionStorage.getItem(KEPT) : null);
}

export const stayIn = (slug: string): void => sessionStorage.setItem(KEPT, slug);

export const stayNowhere = (): void => sessionStorage.removeItem(KEPT);

/** Where a path of the router leads in this tab. */
export const inThisOrganisation = (path: string): string =>
  isOutside(path) ? path : withOrganisation(slugOfTab(), path);

/** The addresses of the router and those of the browser. */
export const organisationRewrite = {
  input({ url }: { url: URL }): URL {
    url.pathname = splitOrganisation(url.pathname).rest;
    return url;
  },
  output({ url }: { url: URL }): URL {
    url.pathname = inThisOrganisation(url.pathname);
    return url;
  },
};
