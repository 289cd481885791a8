import { Button, Group, Text } from '@mantine/core';
import type { EventSummary } from '@sluice/contract/dashboard-events';
import type { EventColumnName } from '@sluice/contract/dashboard-views';
import { IconRefresh } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Empty } from '../../../components/empty.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { eventColumnsOf, keyOfEvent, pageOfEvent } from '../../../components/events/event-columns.tsx';
import { EventFilters } from '../../../components/events/event-filters.tsx';
import { NoEvents } from '../../../components/events/no-events.tsx';
import { type EventQuery, useEventQuery } from '../../../components/events/use-event-query.ts';
import { Page } from '../../../components/page.tsx';
import { Loading } from '../../../components/page-states.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { Rows } from '../../../components/rows.tsx';
import { selectColumn, selectHeader } from '../../../components/selection/select-column.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import { useList } from '../../../lib/api/use-call.ts';
import { useMay } from '../../../lib/session.tsx';
import { useFilters } from '../../../lib/use-filters.ts';
import { keyOfList, useTimeRange } from '../../../lib/use-time-range.ts';
import { ColumnChoice } from './column-choice.tsx';
import { ExportMenu } from './export-menu.tsx';
import { HistogramChart } from './histogram-chart.tsx';
import { MOST_ONE_BY_ONE, ReplayBar } from './replay-bar.tsx';
import { useEventColumns } from './use-event-columns.ts';
import { useHistogram } from './use-histogram.ts';
import { useNewer } from './use-newer.ts';
import { ViewMenu } from './view-menu.tsx';

const nameOf = ({ type, id }: EventSummary) => `${type}, ${id}`;

/** Everything that was received, newest first. */
export default function EventsPage() {
  const may = useMay();
  const [filters, change] = useFilters();
  const query = useEventQuery();
  const { span } = useTimeRange();
  const [chosenColumns, setColumns] = useEventColumns();
  const names = useMemo(() => shownColumns(chosenColumns, query), [chosenColumns, query]);
  const excerpt = names.includes('payload') ? { excerpt: 'true' } : {};
  const list = useList('GET /events', { ...(query as object), ...excerpt }, { span });
  const question = keyOfList(query, span);
  const { histogram, isOld } = useHistogram(query, question, list);
  const [isAtTop, setIsAtTop] = useState(true);
  const selection = useSelection({ of: question, rows: list.rows, most: MOST_ONE_BY_ONE });
  const [refreshes, setRefreshes] = useState(0);
  const hasNewer = useNewer(query, list, isAtTop && selection.rows.length === 0);

  const mayReplay = may('events.replay');
  const columns = useMemo(() => {
    const shown = eventColumnsOf(names);
    return mayReplay ? [selectColumn(selection.toggle, nameOf), ...shown] : shown;
  }, [mayReplay, names, selection.toggle]);
  const refresh = () => {
    setRefreshes(count => count + 1);
    list.refresh();
  };

  const isNarrowed = Object.keys(filters).some(name => name !== 'view');
  return (
    <Page
      title="Events"
      lead="Everything that was received, newest first."
      fill
      actions={
        <>
          {hasNewer && (
            <Button
              variant="light"
              size="compact-sm"
              leftSection={<IconRefresh size={15} aria-hidden />}
              onClick={refresh}
            >
              Show new events
            </Button>
          )}
          <ViewMenu columns={chosenColumns} setColumns={setColumns} />
          <ColumnChoice names={chosenColumns} onChange={setColumns} />
          <ExportMenu query={query} total={isOld ? undefined : histogram?.total} />
        </>
      }
    >
      <EventFilters past />
      {histogram && (histogram.total.count > 0 || isNarrowed) && (
        <HistogramChart histogram={histogram} isOld={isOld} />
      )}
      {list.error && <ErrorNotice error={list.error} onRetry={list.refresh} />}
      <ReplayBar selection={selection} query={query} />
      {list.isLoading && !list.error && <Loading />}
      {!list.isLoading && list.rows.length > 0 && (
        <Rows
          label="Events"
          rows={list.rows}
          columns={columns}
          keyOf={keyOfEvent}
          pageOf={pageOfEvent}
          isOld={list.isOld}
          // A search that ran out of time goes on when somebody says so.
          hasMore={list.hasMore && list.searchedTo === null}
          isLoadingMore={list.isLoadingMore}
          loadMore={list.loadMore}
          isSelected={selection.has}
          {...(mayReplay ? { onSelect: selection.toggle, headerCells: selectHeader(selection) } : {})}
          onScroll={top => setIsAtTop(top <= 0)}
          scrolledFor={refreshes}
        />
      )}
      {!list.isLoading && !list.error && list.rows.length === 0 && !list.hasMore && (
        <NothingHere isNarrowed={isNarrowed} onClear={() => change(withoutAll(filters))} />
      )}
      {list.searchedTo !== null && (
        <Group justify="center" gap="sm" role="status">
          <Text size="sm" c="dimmed">
            {list.rows.length === 0 ? 'Nothing found yet. ' : ''}
            Searched back to <RelativeTime at={list.searchedTo} />.
          </Text>
          <Button size="compact-sm" variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
            Search further back
          </Button>
        </Group>
      )}
    </Page>
  );
}

function NothingHere({ isNarrowed, onClear }: { isNarrowed: boolean; onClear(): void }) {
  if (!isNarrowed) return <NoEvents />;
  return <Empty sentence="No events match" action={<Button onClick={onClear}>Clear filters</Button>} />;
}

const withoutAll = (filters: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.keys(filters).map(name => [name, '']));

/** Whoever searches payloads sees what was found; the id makes room for it. */
const shownColumns = (
  chosen: readonly EventColumnName[],
  { text }: EventQuery,
): readonly EventColumnName[] =>
  text === undefined || chosen.includes('payload')
    ? chosen
    : [...chosen.filter(name => name !== 'id'), 'payload'];
