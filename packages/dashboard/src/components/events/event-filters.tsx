import { Button, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type EventSummary, eventOutcomes } from '@sluice/contract/dashboard-events';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { memo } from 'react';
import { useAll } from '../../lib/api/use-call.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { TextFilter } from '../text-filter.tsx';
import { TimeFilter } from '../time-filter.tsx';
import classes from './event-filters.module.css';
import { TypeFilter } from './type-filter.tsx';

const states: EventSummary['state'][] = ['accepted', 'processed', 'dropped', 'unrouted', 'failed'];

/** What a list of events is narrowed by. `past`: the list goes back in time, and is no tail. */
export const EventFilters = memo(function EventFilters({ past = false }: { past?: boolean }) {
  const [filters, change] = useFilters();
  const usesMore = Boolean(filters.state || filters.pipeline || filters.destination || filters.entity);
  const [isMore, { toggle }] = useDisclosure(usesMore);

  return (
    <search className={classes.filters} aria-label="Filters" data-more={isMore || undefined}>
      <TextFilter
        name="text"
        {...called('Text in the payload')}
        isFirst
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <div className={classes.others}>
        <Select
          aria-label="Outcome"
          placeholder="Any outcome"
          data={eventOutcomes}
          value={filters.outcome?.replaceAll('_', ' ') ?? null}
          onChange={outcome => change({ outcome: outcome ?? '' })}
          clearable
        />
        <Choice name="source" label="Source" placeholder="Any source" route="GET /sources" />
        <TypeFilter />
        {past && <TimeFilter what="Received" />}
        {isMore && (
          <>
            <Select
              aria-label="State"
              placeholder="Any state"
              data={states}
              value={filters.state ?? null}
              onChange={state => change({ state: state ?? '' })}
              clearable
            />
            <Choice name="pipeline" label="Pipeline" placeholder="Any pipeline" route="GET /pipelines" />
            <Choice
              name="destination"
              label="Destination"
              placeholder="Any destination"
              route="GET /destinations"
            />
            <TextFilter name="entity" {...called('Entity, as kind:id')} />
          </>
        )}
      </div>
      <Button
        variant="default"
        onClick={toggle}
        aria-expanded={isMore}
        leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
      >
        {isMore ? 'Fewer filters' : 'More filters'}
      </Button>
    </search>
  );
});

const called = (label: string) => ({ 'aria-label': label, placeholder: label });

function Choice(props: {
  name: string;
  label: string;
  placeholder: string;
  route: 'GET /sources' | 'GET /pipelines' | 'GET /destinations';
}) {
  const [filters, change] = useFilters();
  const { data = [] } = useAll(props.route);
  const value = filters[props.name] ?? null;
  const options = data.map(({ id, name }) => ({ value: id, label: name }));
  // What is gone, or not read yet, is still what the list is narrowed by.
  const isKnown = value === null || options.some(option => option.value === value);
  return (
    <Select
      aria-label={props.label}
      placeholder={props.placeholder}
      data={isKnown ? options : [...options, { value, label: value }]}
      value={value}
      onChange={id => change({ [props.name]: id ?? '' })}
      clearable
      searchable
      nothingFoundMessage="No results"
    />
  );
}
