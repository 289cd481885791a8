import { useParams } from '@tanstack/react-router';

/**
 * The id in the address, as one word of a call's path. Links come from anywhere: `..%2Fkeys` must not lead a page,
 * and the buttons on it, to another call.
 */
export function usePathId(): string {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  return encodeURIComponent(id);
}
