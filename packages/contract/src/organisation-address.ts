/** Addresses of an organisation: `/o/<slug>/…` for its pages, `/dashboard/api/o/<slug>/…` for private calls in it. */

const PREFIX = /^\/o\/([a-z0-9-]{1,64})(?=\/|$)/;
export const CALLS_AT = '/dashboard/api';

/** The slug that a path begins with, and what is left of the path. */
export function splitOrganisation(path: string): { readonly slug: string | null; readonly rest: string } {
  const match = PREFIX.exec(path);
  if (match === null) return { slug: null, rest: path };
  return { slug: match[1] ?? null, rest: path.slice(match[0].length) || '/' };
}

export const withOrganisation = (slug: string | null, path: string): string =>
  slug === null ? path : `/o/${slug}${path === '/' ? '' : path}`;
