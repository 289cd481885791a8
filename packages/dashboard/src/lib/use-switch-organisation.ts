import { withOrganisation } from '@sluice/contract/organisation-address';
import { call } from './api/call.ts';

/**
 * Goes to another organisation, and only in this tab: the address names it. The document is loaded again, so that nothing
 * that was read in the one before is shown any more. The next login leads there too.
 */
export function useSwitchOrganisation(): (organisation: { id: string; slug: string }) => Promise<void> {
  return async ({ id, slug }) => {
    await call('PUT /session/organisation', { body: { id } });
    window.location.assign(withOrganisation(slug, '/'));
  };
}
