import { Button, Menu, Text } from '@mantine/core';
import {
  type EventHistogram,
  type ExportFormat,
  MOST_EXPORTED_AT_ONCE,
} from '@sluice/contract/dashboard-events';
import { IconDownload } from '@tabler/icons-react';
import type { EventQuery } from '../../../components/events/use-event-query.ts';
import { describeCount } from '../../../components/list-count.tsx';
import { addressOf } from '../../../lib/api/path.ts';
import { useMay } from '../../../lib/session.tsx';
import { useExportJob } from '../../../lib/use-export-job.ts';

const formats: readonly { readonly format: ExportFormat; readonly title: string; readonly what: string }[] = [
  { format: 'ndjson', title: 'NDJSON', what: 'A line of JSON for each event, with its payload.' },
  { format: 'csv', title: 'CSV', what: 'For spreadsheets.' },
];

/** What the list shows as a file: at once where that is little, as a job where it is much. */
export function ExportMenu({
  query,
  total,
}: {
  query: EventQuery;
  total: EventHistogram['total'] | undefined;
}) {
  const may = useMay()('events.export');
  const { isStarting, startJob } = useExportJob();
  if (!may) return null;
  const isJob = total === undefined || total.more || total.count > MOST_EXPORTED_AT_ONCE;
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button
          variant="default"
          size="compact-sm"
          loading={isStarting}
          leftSection={<IconDownload size={15} aria-hidden />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {total ? describeCount(total, ['event', 'events']) : 'All that match'}
          {isJob && ', as a job'}
        </Menu.Label>
        {formats.map(({ format, title, what }) => {
          const label = (
            <>
              <Text size="sm" fw={550}>
                {title}
              </Text>
              <Text size="xs" c="dimmed">
                {what}
              </Text>
            </>
          );
          return isJob ? (
            <Menu.Item key={format} onClick={() => void startJob({ filter: query, format })}>
              {label}
            </Menu.Item>
          ) : (
            <Menu.Item
              key={format}
              component="a"
              href={addressOf('GET /events/export', { ...(query as object), format })}
              download
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
