import { Select, TextInput } from '@mantine/core';
import { useFilters } from '../app/use-filters.ts';
import { spans } from '../app/use-times.ts';

const CUSTOM = 'custom';
const HOUR_MS = 3_600_000;

/** From when to when a list goes. `what` happened then: "Received", as the list's own column calls it. */
export function TimeFilter({ what, w }: { what: string; w?: number }) {
  const [filters, change] = useFilters();
  const isCustom = Boolean(filters.after || filters.before);
  return (
    <>
      <Select
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
        w={w}
      />
      {isCustom && (
        <>
          <MomentFilter name="after" label={`${what} after`} w={w} />
          <MomentFilter name="before" label={`${what} before`} w={w} />
        </>
      )}
    </>
  );
}

/** In the time of the reader's own clock; the address holds it as the server reads it. */
function MomentFilter({ name, label, w }: { name: string; label: string; w: number | undefined }) {
  const [filters, change] = useFilters();
  const at = filters[name];
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      title={label}
      value={at ? toLocal(at) : ''}
      onChange={({ currentTarget: { value } }) =>
        change({ [name]: value === '' ? '' : new Date(value).toISOString() })
      }
      w={w}
    />
  );
}

function toLocal(at: string): string {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
