import type { ChangeRoute } from '@sluice/contract/private-calls';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from './api/call.ts';
import type { GivenTo } from './api/path.ts';

type RemovalRoute = Extract<ChangeRoute, `DELETE ${string}`>;

/** Deletes what a page shows, and goes to where the rest of its kind is listed. */
export function useDelete<R extends RemovalRoute>(
  route: R,
): (given: GivenTo<R>, to: string, onRemoved?: () => void) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async (given, to, onRemoved) => {
    await call(route, given);
    onRemoved?.();
    await navigate({ to });
    // Only then: on its own page it would be asked for once more.
    await client.invalidateQueries({ queryKey: ['call'] });
  };
}
