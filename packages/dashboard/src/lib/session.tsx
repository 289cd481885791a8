import type { WhoAmI } from '@sluice/contract/dashboard-accounts';
import { createContext, useContext } from 'react';

/** Who is logged in, and what they may do here. */
const Session = createContext<WhoAmI | null>(null);

export const SessionProvider = Session.Provider;

export function useSession(): WhoAmI {
  const session = useContext(Session);
  if (session === null)
    throw new Error('This part of the dashboard is shown to those who are logged in only.');
  return session;
}

/** Whether a button would be refused: then it is not shown. */
export function useMay(): (permission: string) => boolean {
  const { permissions } = useSession();
  return permission => permissions.includes(permission);
}
