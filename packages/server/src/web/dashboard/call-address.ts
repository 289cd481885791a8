import { CALLS_AT, splitOrganisation, withOrganisation } from '@sluice/contract/organisation-address';

/** The address of a private call: it may name an organisation, so that each tab is in the one that it shows. */
export const organisationIn = ({ url }: Request): string | null =>
  splitOrganisation(new URL(url).pathname.slice(CALLS_AT.length)).slug;

/** The address of another call in the same organisation. */
export const besideIn = (request: Request, path: string): string =>
  `${CALLS_AT}${withOrganisation(organisationIn(request), path)}`;
