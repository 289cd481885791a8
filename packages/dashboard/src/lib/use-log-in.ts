import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { splitOrganisation } from '@sluice/contract/organisation-address';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { stayNowhere } from './organisation.ts';

/** Goes inside as somebody who has just logged in; nothing of whoever was here before is kept. */
export function useLogIn(): (who: WhoAmI, path: string) => void {
  const queries = useQueryClient();
  const router = useRouter();
  return (who, path) => {
    queries.clear();
    stayNowhere();
    const { slug } = splitOrganisation(path);
    // Who they are in another organisation than the one they were last in is asked there.
    if (slug === null || slug === who.organisation.slug) queries.setQueryData(['call', '/session'], who);
    router.history.replace(path);
  };
}
