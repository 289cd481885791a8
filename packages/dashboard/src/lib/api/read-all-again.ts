import type { QueryClient } from '@tanstack/react-query';
import { followAnew } from './live.ts';

/** All that was read before is read again, since it may have changed; whoever waits for it has what holds now. */
export function readAllAgain(client: QueryClient): Promise<void> {
  followAnew();
  return client.invalidateQueries({ queryKey: ['call'] });
}
