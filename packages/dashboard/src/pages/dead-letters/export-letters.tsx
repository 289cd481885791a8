import { Button } from '@mantine/core';
import { MOST_EXPORTED_AT_ONCE } from '@sluice/contract/dashboard-events';
import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import { IconDownload } from '@tabler/icons-react';
import { addressOf } from '../../lib/api/path.ts';
import { useExportJob } from '../../lib/use-export-job.ts';
import type { DeadLetterFilter } from './letter-filter.ts';

/** What the list shows as a file: at once where there is little within the time, as a job where there is much or it is unknown. */
export function ExportLetters(props: {
  filter: DeadLetterFilter;
  /** Undefined where it could not be read. */
  summary: DeadLetterSummary | undefined;
}) {
  const { filter, summary } = props;
  const { isStarting, startJob } = useExportJob();
  const icon = <IconDownload size={16} aria-hidden />;
  const isLittle = summary !== undefined && summary.deliveries + summary.events < MOST_EXPORTED_AT_ONCE;
  return isLittle ? (
    <Button
      component="a"
      href={addressOf('GET /dead-letters/export', filter)}
      download
      variant="default"
      leftSection={icon}
    >
      Export
    </Button>
  ) : (
    <Button
      variant="default"
      loading={isStarting}
      leftSection={icon}
      onClick={() => void startJob({ what: 'dead_letters', filter })}
    >
      Export as a job
    </Button>
  );
}
