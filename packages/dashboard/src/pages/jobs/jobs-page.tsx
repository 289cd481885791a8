import { Button, Text } from '@mantine/core';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { describeProgress } from '../../components/job-progress.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Rows } from '../../components/rows.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { describeJob, jobTitle } from './job-labels.ts';

const keyOf = ({ id }: JobRecord) => id;
const pageOf = ({ id }: JobRecord) => `/jobs/${id}`;

const columns: readonly Column<JobRecord>[] = [
  { header: 'Started', width: '96px', cell: ({ created_at }) => <RelativeTime at={created_at} /> },
  { header: 'State', width: '96px', cell: ({ state }) => <StateBadge state={state} /> },
  {
    header: 'Job',
    width: 'minmax(120px, 1fr)',
    cell: job => (
      <>
        <Link to={pageOf(job)}>{jobTitle(job)}</Link>{' '}
        <Text span size="sm" c="dimmed">
          {describeJob(job)}
        </Text>
      </>
    ),
  },
  {
    header: 'Progress',
    width: 'minmax(130px, 220px)',
    cell: job => <span className="numbers">{describeProgress(job)}</span>,
    onlyWide: true,
  },
  {
    header: 'Requested by',
    width: 'minmax(120px, 220px)',
    cell: ({ created_by }) => created_by,
    onlyWide: true,
  },
];

/** The latest jobs: replays, exports, and retries of dead letters. */
export default function JobsPage() {
  const { data: jobs, error, refetch } = useCall('GET /jobs', { limit: 100 }, { live: true });
  if (!jobs) return <Waiting error={error} onRetry={() => void refetch()} />;
  return (
    <Page
      title="Jobs"
      lead="Replays, exports, and retries and discards of dead letters. The latest 100."
      fill
    >
      {jobs.length === 0 ? (
        <Empty
          sentence="No jobs yet. A job starts when many events are replayed or exported, or dead letters are retried or discarded."
          action={
            <Button component={Link} to="/dead-letters">
              View dead letters
            </Button>
          }
        />
      ) : (
        <Rows label="Jobs" rows={jobs} columns={columns} keyOf={keyOf} pageOf={pageOf} />
      )}
    </Page>
  );
}
