import { Anchor, Button, CloseButton, Group } from '@mantine/core';
import type { DeadLetter, DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import { failureCodes } from '@sluice/contract/failure';
import { IconDownload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { withQuery } from '../../api/call.ts';
import { useAll, useCall, useList } from '../../api/use-call.ts';
import { useTurning } from '../../api/use-turning.ts';
import { useMay } from '../../app/session.tsx';
import { useFilters } from '../../app/use-filters.ts';
import { Card } from '../../components/card.tsx';
import { ChoiceFilter } from '../../components/choice-filter.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { JobProgress } from '../../components/job-progress.tsx';
import { Page } from '../../components/page.tsx';
import { Loading } from '../../components/page-states.tsx';
import { Rows } from '../../components/rows.tsx';
import { letterColumns } from './letter-columns.tsx';
import { LetterGroups } from './letter-groups.tsx';
import { RetryAll } from './retry-all.tsx';

const fields = ['kind', 'destination', 'code', 'pipeline', 'event'] as const;
const keyOf = ({ id }: DeadLetter) => id;
const pageOf = (letter: DeadLetter) =>
  letter.kind === 'delivery' ? `/deliveries/${letter.id}` : `/events/${letter.event_id}`;

/** What did not arrive, and why; and how to try again. */
export default function DeadLettersPage() {
  const [filters, change] = useFilters();
  const may = useMay()('deliveries.change');
  const filter = useMemo(
    () =>
      Object.fromEntries(
        fields.flatMap(field => (filters[field] ? [[field, filters[field]]] : [])) as [string, string][],
      ),
    [filters],
  );
  const list = useList<DeadLetter>('/dead-letters', filter);
  useTurning(list, '/dead-letters', filter);
  const summary = useCall<DeadLetterSummary>('/dead-letters/summary', { live: true });
  const destinations = useAll<{ id: string; name: string }>('/destinations');
  const isNarrowed = Object.keys(filter).length > 0;
  const showJob = (job: string) => change({ job });
  const columns = useMemo(() => letterColumns(may ? job => change({ job }) : null), [may, change]);
  const isEmpty = !list.isLoading && list.rows.length === 0 && !list.error;
  return (
    <Page
      title="Dead letters"
      lead={
        <>
          Deliveries that were given up, and events that failed in a pipeline.{' '}
          <Anchor component={Link} to="/jobs" size="sm">
            Jobs
          </Anchor>
        </>
      }
      fill
      actions={
        !isEmpty && (
          <>
            <Button
              component="a"
              href={`/dashboard/api${withQuery('/dead-letters/export', filter)}`}
              download
              variant="default"
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              Export
            </Button>
            {may && <RetryAll filter={filter} onStarted={showJob} />}
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
        <LetterGroups summary={summary.data} />
      )}
      {(isNarrowed || !isEmpty) && (
        <search aria-label="Filters">
          <Group gap="xs">
            <ChoiceFilter
              name="kind"
              label="What"
              any="Anything"
              choices={[
                { value: 'delivery', label: 'Deliveries' },
                { value: 'event', label: 'Failed events' },
              ]}
            />
            <ChoiceFilter
              name="destination"
              label="Destination"
              any="Any destination"
              choices={(destinations.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
              searchable
            />
            <ChoiceFilter name="code" label="Failure" any="Any failure" choices={failureCodes} searchable />
            {isNarrowed && (
              <Button
                variant="subtle"
                color="gray"
                onClick={() => change(Object.fromEntries(fields.map(field => [field, ''])))}
              >
                Clear
              </Button>
            )}
          </Group>
        </search>
      )}
      {list.error && <ErrorNotice error={list.error} onRetry={list.refresh} />}
      {list.isLoading && !list.error && <Loading />}
      {isEmpty && (
        <Empty
          sentence={
            isNarrowed
              ? 'No dead letter is like that.'
              : 'There are no dead letters: everything arrived, or is still being tried.'
          }
          action={
            !isNarrowed && (
              <Button component={Link} to="/deliveries">
                To the deliveries
              </Button>
            )
          }
        />
      )}
      {list.rows.length > 0 && (
        <Rows
          label="Dead letters"
          rows={list.rows}
          columns={columns}
          keyOf={keyOf}
          pageOf={pageOf}
          hasMore={list.hasMore}
          isLoadingMore={list.isLoadingMore}
          loadMore={list.loadMore}
        />
      )}
    </Page>
  );
}
