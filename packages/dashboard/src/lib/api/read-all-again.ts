import type { QueryClient } from '@tanstack/react-query';
import { reopenStream } from './live.ts';

/** Re-reads everything on the page, since it may have changed, and resolves once that is current. */
export function readAllAgain(client: QueryClient): Promise<void> {
  reopenStream();
  // A first read that is still under way would count as the new one, though it may have been answered before the change.
  // Silently, so that whoever waits for an earlier read waits for this one.
  void client.cancelQueries({ queryKey: ['call'] }, { silent: true });
  return client.invalidateQueries({ queryKey: ['call'] });
}
