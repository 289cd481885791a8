import { useMemo } from 'react';
import { useFilters } from './use-filters.ts';
import { useTimeRange } from './use-time-range.ts';

/**
 * What a list is narrowed by: those of the address's filters that it knows, and its times. The same object until one of
 * them changes, whatever else the address holds.
 */
export function useNarrowing(names: readonly string[]): Readonly<Record<string, string>> {
  const [filters] = useFilters();
  const given: Readonly<Record<string, string | undefined>> = { ...filters, ...useTimeRange() };
  const asked = JSON.stringify(names.flatMap(name => (given[name] ? [[name, given[name]]] : [])));
  return useMemo(() => Object.fromEntries(JSON.parse(asked)), [asked]);
}
