import { Select, TextInput } from '@mantine/core';
import { spans } from '../lib/spans.ts';
import { fromTimeInput, toTimeInput } from '../lib/time-display.ts';
import { useFilters } from '../lib/use-filters.ts';
import { filterWidth } from './choice-filter.tsx';
import { useListOnDemand } from './use-list-on-demand.ts';

const CUSTOM = 'custom';
const HOUR_MS = 3_600_000;

/**
 * From when to when a list goes. `what` happened then: "Received", as the list's own column calls it. `isInLine`:
 * beside other filters, and not in a grid that gives it its width.
 */
export function TimeFilter({ what, isInLine = false }: { what: string; isInLine?: boolean }) {
  const [filters, change] = useFilters();
  const list = useListOnDemand();
  const isCustom = Boolean(filters.after || filters.before);
  return (
    <>
      <Select
        {...list}
        aria-label="Time"
        placeholder="Any time"
        data={[
          ...Object.entries(spans).map(([span, { label }]) => ({ value: span, label })),
          { value: CUSTOM, label: 'From … to …' },
        ]}
        value={filters.within ?? (isCustom ? CUSTOM : null)}
        onChange={chosen =>
          change(
            chosen === CUSTOM
              ? { within: '', after: new Date(Date.now() - HOUR_MS).toISOString() }
              : { within: chosen ?? '', after: '', before: '' },
          )
        }
        clearable
        {...(isInLine ? { w: filterWidth } : {})}
      />
      {isCustom && (
        <>
          <MomentFilter name="after" label={`${what} after`} isInLine={isInLine} />
          <MomentFilter name="before" label={`${what} before`} isInLine={isInLine} />
        </>
      )}
    </>
  );
}

/** In the zone that all times are shown in; the address holds it as the server reads it. */
function MomentFilter({ name, label, isInLine }: { name: string; label: string; isInLine: boolean }) {
  const [filters, change] = useFilters();
  const at = filters[name];
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      title={label}
      // A figure leads to what came after the last millisecond before its time.
      value={at ? toTimeInput(name === 'after' ? Date.parse(at) + 1 : at) : ''}
      onChange={({ currentTarget: { value } }) => change({ [name]: fromTimeInput(value) })}
      {...(isInLine ? { w: { base: '100%', xs: 220 } } : {})}
    />
  );
}
