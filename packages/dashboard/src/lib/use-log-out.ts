import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from './api/call.ts';
import { useRemovals } from './undo/use-removals.tsx';

/** Ends the session, and with it whatever could still be taken back: nothing of it could be carried out afterwards. */
export function useLogOut(): () => Promise<void> {
  const removals = useRemovals();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    await removals.flush(true);
    await call('DELETE /session', {});
    queries.clear();
    await navigate({ to: '/login' });
  };
}
