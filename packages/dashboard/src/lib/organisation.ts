import { splitOrganisation, withOrganisation } from '@sluice/contract/organisation-address';

/**
 * Which organisation a tab shows: the one that its address names. The router knows addresses without it, so that pages
 * link to each other as if there were one organisation; it is taken off and put back on here.
 */
export const slugInAddress = (): string | null =>
  typeof window === 'undefined' ? null : splitOrganisation(window.location.pathname).slug;

/** Pages that belong to nobody, or to a person and not to an organisation. */
const OUTSIDE = /^\/(login|setup|invitations|account)(\/|$)/;

export const isOutside = (path: string): boolean => OUTSIDE.test(path);

/** Where a path of the router leads in this tab. */
export const inThisOrganisation = (path: string): string =>
  isOutside(path) ? path : withOrganisation(slugInAddress(), path);

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
