import { useParams } from '@tanstack/react-router';

/** The id in the address. Links come from anywhere: it may hold anything, and is encoded where a call is made. */
export function usePathId(): string {
  const { id = '' }: { id?: string } = useParams({ strict: false });
  return id;
}
