import { Autocomplete } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useCall } from '../../lib/api/use-call.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { useListOnDemand } from '../use-list-on-demand.ts';

const TYPED_AFTER_MS = 350;
const MOST_OFFERED = 20;

/** The type that a list of events is narrowed by, with those that came in lately offered as it is typed. */
export function TypeFilter() {
  const [filters, change] = useFilters();
  const inAddress = filters.type ?? '';
  const [typed, setTyped] = useState(inAddress);
  const [isAsked, setIsAsked] = useState(false);
  const list = useListOnDemand();
  const { data: types = [] } = useCall('GET /events/types', isAsked ? {} : null);
  // The address follows a moment later: only what others put there may stand in place of what is being typed.
  const written = useRef(inAddress);
  const write = (type: string) => {
    written.current = type;
    change({ type });
  };
  const apply = useDebouncedCallback(write, TYPED_AFTER_MS);

  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setTyped(inAddress);
  }, [inAddress]);

  return (
    <Autocomplete
      {...list}
      aria-label="Type"
      placeholder="Type"
      data={types.map(({ type }) => type)}
      limit={MOST_OFFERED}
      value={typed}
      onFocus={() => {
        list.onFocus();
        setIsAsked(true);
      }}
      onChange={value => {
        setTyped(value);
        apply(value);
      }}
      onOptionSubmit={write}
      onKeyDown={event => {
        if (event.key === 'Enter') write(event.currentTarget.value);
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}
