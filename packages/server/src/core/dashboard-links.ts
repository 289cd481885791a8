import { withOrganisation } from '@sluice/contract/organisation-address';
import type { AccountStore } from './stores/accounts.ts';

/** Links to pages of the dashboard, for what leaves the service: messages and alerts. */
export interface DashboardLinks {
  /**
   * Null where the operator has not said under which address people open the dashboard, and where the organisation is
   * gone. At once where its slug is known: deliveries ask for every message.
   */
  to(orgId: string, path: string): string | null | Promise<string | null>;
}

const MOST_SLUGS = 10_000;

export function createDashboardLinks(
  baseUrl: string | undefined,
  accounts: Pick<AccountStore, 'findOrganisation'>,
): DashboardLinks {
  if (baseUrl === undefined) return { to: () => null };
  // A slug stays the same for as long as there is the organisation, so none has to be dropped but for its room.
  const slugs = new Map<string, string>();
  const linkTo = (slug: string, path: string) => `${baseUrl}${withOrganisation(slug, path)}`;

  async function find(orgId: string, path: string): Promise<string | null> {
    // A message without its link is better than none.
    const organisation = await accounts.findOrganisation(orgId).catch(() => null);
    if (organisation === null) return null;
    if (slugs.size >= MOST_SLUGS) slugs.clear();
    slugs.set(orgId, organisation.slug);
    return linkTo(organisation.slug, path);
  }

  return {
    to(orgId, path) {
      const slug = slugs.get(orgId);
      return slug === undefined ? find(orgId, path) : linkTo(slug, path);
    },
  };
}
