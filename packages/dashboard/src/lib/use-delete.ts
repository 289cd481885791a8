import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from './api/call.ts';

/** Deletes what a page shows, and goes to where the rest of its kind is listed. */
export function useDelete(): (path: string, to: string, onRemoved?: () => void) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (path, to, onRemoved) => {
    await call('DELETE', path);
    onRemoved?.();
    await navigate({ to });
    // Only then: on its own page it would be asked for once more.
    await client.invalidateQueries({ queryKey: ['call'] });
  };
}
