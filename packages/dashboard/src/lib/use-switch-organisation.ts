import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from './api/call.ts';

/** Goes to another organisation: nothing that was read in the one before is shown any more. */
export function useSwitchOrganisation(): (organisationId: string) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async id => {
    await call('PUT /session/organisation', { body: { id } });
    queries.removeQueries({ type: 'inactive' });
    await navigate({ to: '/' });
    await queries.resetQueries();
  };
}
