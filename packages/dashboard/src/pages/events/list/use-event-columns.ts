import { useLocalStorage } from '@mantine/hooks';
import { type EventColumnName, eventColumnNames } from '@sluice/contract/dashboard-views';
import { usualColumns } from '../../../components/events/event-columns.tsx';

/** Which columns the list of events has in this browser. A view brings its own. */
export function useEventColumns(): [readonly EventColumnName[], (names: readonly EventColumnName[]) => void] {
  const [names, setNames] = useLocalStorage<readonly EventColumnName[]>({
    key: 'sluice.events.columns',
    defaultValue: usualColumns,
    getInitialValueInEffect: false,
    deserialize: readNames,
  });
  return [names, setNames];
}

/** Whatever stands there: another version may have written it. */
function readNames(text: string | undefined): readonly EventColumnName[] {
  try {
    const kept = JSON.parse(text ?? '') as unknown;
    const names = eventColumnNames.filter(name => Array.isArray(kept) && kept.includes(name));
    return names.length === 0 ? usualColumns : names;
  } catch {
    return usualColumns;
  }
}
