import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

type Filters = Readonly<Record<string, string | undefined>>;

/** The filters of a list live in its address, so that a list can be sent to somebody, and Back goes back. */
export function useFilters(): [Filters, (change: Filters) => void] {
  const filters: Filters = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = useCallback(
    (changed: Filters) =>
      void navigate({
        to: '.',
        search: (before: Filters) => withoutEmpty({ ...before, ...changed }),
        replace: true,
      }),
    [navigate],
  );
  return [filters, change];
}

const withoutEmpty = (filters: Filters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );
