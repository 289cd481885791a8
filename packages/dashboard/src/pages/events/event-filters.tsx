import { Button, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { EventRow } from '@sluice/contract/dashboard-events';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { memo } from 'react';
import { useAll } from '../../api/use-call.ts';
import { useFilters } from '../../app/use-filters.ts';
import { TypedFilter } from '../../components/typed-filter.tsx';
import classes from './event-filters.module.css';
import { spans } from './use-event-query.ts';

const states: EventRow['state'][] = ['accepted', 'processed', 'dropped', 'unrouted', 'failed'];

/** What a list of events is narrowed by. `past`: the list goes back in time, and is no tail. */
export const EventFilters = memo(function EventFilters({ past = false }: { past?: boolean }) {
  const [filters, change] = useFilters();
  const usesMore = Boolean(filters.pipeline || filters.destination || filters.entity);
  const [isMore, { toggle }] = useDisclosure(usesMore);

  return (
    <search className={classes.filters} aria-label="Filters" data-more={isMore || undefined}>
      <TypedFilter
        name="text"
        {...called('Text in the payload')}
        isFirst
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <div className={classes.others}>
        <Select
          aria-label="State"
          placeholder="Any state"
          data={states}
          value={filters.state ?? null}
          onChange={state => change({ state: state ?? '' })}
          clearable
        />
        <Choice name="source" label="Source" placeholder="Any source" path="/sources" />
        <TypedFilter name="type" {...called('Type')} />
        {past && <TimeChoice />}
        {past && (filters.after || filters.before) && (
          <>
            <MomentFilter name="after" label="Received after" />
            <MomentFilter name="before" label="Received before" />
          </>
        )}
        {isMore && (
          <>
            <Choice name="pipeline" label="Pipeline" placeholder="Any pipeline" path="/pipelines" />
            <Choice
              name="destination"
              label="Destination"
              placeholder="Any destination"
              path="/destinations"
            />
            <TypedFilter name="entity" {...called('Entity, as kind:id')} />
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

function Choice(props: { name: string; label: string; placeholder: string; path: string }) {
  const [filters, change] = useFilters();
  const { data = [] } = useAll<{ id: string; name: string }>(props.path);
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
      nothingFoundMessage="Nothing is called that."
    />
  );
}

const CUSTOM = 'custom';
const HOUR_MS = 3_600_000;

function TimeChoice() {
  const [filters, change] = useFilters();
  const value = filters.within ?? (filters.after || filters.before ? CUSTOM : null);
  return (
    <Select
      aria-label="Time"
      placeholder="Any time"
      data={[
        ...Object.entries(spans).map(([span, { label }]) => ({ value: span, label })),
        { value: CUSTOM, label: 'From … to …' },
      ]}
      value={value}
      onChange={chosen =>
        change(
          chosen === CUSTOM
            ? { within: '', after: new Date(Date.now() - HOUR_MS).toISOString() }
            : { within: chosen ?? '', after: '', before: '' },
        )
      }
      clearable
    />
  );
}

/** In the time of the reader's own clock; the address holds it as the server reads it. */
function MomentFilter({ name, label }: { name: string; label: string }) {
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
    />
  );
}

function toLocal(at: string): string {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
