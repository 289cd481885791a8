import { Anchor, Button, CloseButton, Group } from '@mantine/core';
import type { DeadLetter } from '@sluice/contract/dashboard-letters';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { Card } from '../../components/card.tsx';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { DeliveryFilters } from '../../components/delivery/delivery-filters.tsx';
import { Empty } from '../../components/empty.tsx';
import { JobProgress } from '../../components/job-progress.tsx';
import { Page } from '../../components/page.tsx';
import { isEmpty, PagedList } from '../../components/paged-list.tsx';
import { selectColumn, selectHeader } from '../../components/selection/select-column.tsx';
import { useSelection } from '../../components/selection/use-selection.ts';
import { TimeFilter } from '../../components/time-filter.tsx';
import { useCall, useList } from '../../lib/api/use-call.ts';
import { useLiveList } from '../../lib/api/use-live-list.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { useNarrowing } from '../../lib/use-narrowing.ts';
import { keyOfList, useTimeRange } from '../../lib/use-time-range.ts';
import { AllLetters } from './all-letters.tsx';
import { letterColumns } from './dead-letter-columns.tsx';
import { LetterGroups } from './dead-letter-groups.tsx';
import { ExportLetters } from './export-letters.tsx';
import { type DeadLetterFilter, filterFields } from './letter-filter.ts';
import { LetterSelectionBar, MOST_SELECTED } from './letter-selection.tsx';

const keyOf = ({ id }: DeadLetter) => id;
const pageOf = (letter: DeadLetter) =>
  letter.kind === 'delivery' ? `/deliveries/${letter.id}` : `/events/${letter.event_id}`;

const nameOf = ({ event_type, id }: DeadLetter) => `${event_type}, ${id}`;

const traceOf = (letter: DeadLetter) =>
  `${letter.id} ${letter.state} ${letter.kind === 'delivery' ? letter.attempt : letter.failures.length}`;

/** What did not arrive, and why; and how to try again. */
export default function DeadLettersPage() {
  const [filters, change] = useFilters();
  const may = useMay()('deliveries.change');
  const { after, before, span } = useTimeRange();
  const filter = useNarrowing(filterFields) as DeadLetterFilter;
  const list = useList('GET /dead-letters', filter, { span });
  useLiveList(list, 'GET /dead-letters', filter, traceOf);
  const summary = useCall('GET /dead-letters/summary', { after, before }, { live: true, keep: true });
  const isNarrowed = Object.keys(filter).length > 0;
  const hasNothing = isEmpty(list);
  // With nothing to retry nobody is asked, not later about others either.
  useEffect(() => {
    if (hasNothing && filters.ask) change({ ask: '' });
  }, [hasNothing, filters.ask, change]);
  const showJob = (job: string) => change({ job });
  const selection = useSelection({ of: keyOfList(filter, span), rows: list.rows, most: MOST_SELECTED });
  const columns = useMemo(() => {
    const shown = letterColumns(may ? job => change({ job }) : null);
    return may ? [selectColumn(selection.toggle, nameOf), ...shown] : shown;
  }, [may, change, selection.toggle]);
  return (
    <Page
      title="Dead letters"
      lead={
        <>
          Deliveries that exhausted their attempts, and events that failed in a pipeline.{' '}
          <Anchor component={Link} to="/jobs" size="sm">
            Jobs
          </Anchor>
        </>
      }
      fill
      actions={
        !hasNothing && (
          <>
            {(summary.data || summary.error) && <ExportLetters filter={filter} summary={summary.data} />}
            {may && <AllLetters filter={filter} onJob={showJob} />}
          </>
        )
      }
    >
      {filters.job && (
        <Card>
          <Group align="flex-start" wrap="nowrap" gap="xs">
            <div style={{ flex: 1 }}>
              <JobProgress id={filters.job} />
            </div>
            <CloseButton aria-label="Hide the job" onClick={() => change({ job: '' })} />
          </Group>
        </Card>
      )}
      {summary.data && summary.data.deliveries + summary.data.events > 0 && (
        <LetterGroups
          summary={summary.data}
          times={{ ...(after ? { after } : {}), ...(before ? { before } : {}) }}
          mayChange={may}
          onJob={showJob}
        />
      )}
      {(isNarrowed || !hasNothing) && (
        <search aria-label="Filters">
          <Group gap="xs">
            <ChoiceFilter
              name="kind"
              label="Type"
              any="All types"
              choices={[
                { value: 'delivery', label: 'Deliveries' },
                { value: 'event', label: 'Failed events' },
              ]}
            />
            <DeliveryFilters />
            <TimeFilter what="Created" isInLine />
            {isNarrowed && (
              <Button
                variant="subtle"
                color="gray"
                onClick={() =>
                  change(Object.fromEntries(['within', ...filterFields].map(field => [field, ''])))
                }
              >
                Clear
              </Button>
            )}
          </Group>
        </search>
      )}
      {may && <LetterSelectionBar selection={selection} onJob={showJob} />}
      <PagedList
        label="Dead letters"
        list={list}
        columns={columns}
        keyOf={keyOf}
        pageOf={pageOf}
        isSelected={selection.has}
        {...(may ? { onSelect: selection.toggle, headerCells: selectHeader(selection) } : {})}
        empty={isNarrowed ? <Empty sentence="No dead letters match" /> : <AllArrived />}
      />
    </Page>
  );
}

const AllArrived = () => (
  <Empty
    sentence="No dead letters. Everything was delivered, or is still being retried."
    action={
      <Button component={Link} to="/deliveries">
        View deliveries
      </Button>
    }
  />
);
