import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type EventSummary, eventOutcomes } from '@sluice/contract/dashboard-events';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { memo } from 'react';
import { useAll } from '../../lib/api/use-call.ts';
import { useFilters } from '../../lib/use-filters.ts';
import { ChoiceFilter } from '../choice-filter.tsx';
import { TextFilter } from '../text-filter.tsx';
import { TimeFilter } from '../time-filter.tsx';
import classes from './event-filters.module.css';
import { TypeFilter } from './type-filter.tsx';

const states: EventSummary['state'][] = ['accepted', 'processed', 'dropped', 'unrouted', 'failed'];

/** What a list of events is narrowed by. `past`: the list goes back in time, and is no tail. */
export const EventFilters = memo(function EventFilters({ past = false }: { past?: boolean }) {
  const [filters] = useFilters();
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
        <ChoiceFilter
          name="outcome"
          label="Outcome"
          any="Any outcome"
          choices={eventOutcomes}
          nameOf={outcome => outcome.replaceAll('_', ' ')}
          isInGrid
        />
        <RecordFilter name="source" label="Source" any="Any source" route="GET /sources" />
        <TypeFilter />
        {past && <TimeFilter what="Received" />}
        {isMore && (
          <>
            <ChoiceFilter name="state" label="State" any="Any state" choices={states} isInGrid />
            <RecordFilter name="pipeline" label="Pipeline" any="Any pipeline" route="GET /pipelines" />
            <RecordFilter
              name="destination"
              label="Destination"
              any="Any destination"
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

/** One of those that there are. */
function RecordFilter(props: {
  name: string;
  label: string;
  any: string;
  route: 'GET /sources' | 'GET /pipelines' | 'GET /destinations';
}) {
  const { route, ...looks } = props;
  const { data = [] } = useAll(route);
  const choices = data.map(({ id, name }) => ({ value: id, label: name }));
  return <ChoiceFilter {...looks} choices={choices} searchable isInGrid />;
}
