import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { mayLeavePage } from '../components/leave-guard.tsx';
import { call } from '../lib/api/call.ts';
import { dropAllDrafts } from '../lib/kept-draft.ts';
import { useRemovals } from '../lib/undo/use-removals.tsx';

/**
 * Ends the session, and with it whatever could still be taken back: nothing of it could be carried out afterwards. What is
 * unsaved is asked about before: without a session nobody could save it any more.
 */
export function useLogOut(): () => Promise<void> {
  const removals = useRemovals();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    if (!(await mayLeavePage())) return;
    await removals.flush(true);
    await call('DELETE /session', {});
    queries.clear();
    dropAllDrafts();
    await navigate({ to: '/login', ignoreBlocker: true });
  };
}
