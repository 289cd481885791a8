import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { Link } from '@tanstack/react-router';
import { useCall, useChange } from '../lib/api/use-call.ts';
import { formatNumber } from '../lib/format.ts';
import { useMay, useSession } from '../lib/session.tsx';
import { ConfirmButton } from './confirm.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { StateBadge } from './state-badge.tsx';

/** How far a job has come, by itself, with a way to stop it. */
export function JobProgress({ id, link = true }: { id: string; link?: boolean }) {
  const { data: job, error } = useCall('GET /jobs/:id', { id }, { live: true });
  if (error && !job) return <ErrorNotice error={error} />;
  return (
    <Stack gap={8}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          {job && <StateBadge state={job.state} />}
          <Text size="sm" role="status" className="numbers">
            {job ? describeProgress(job) : 'Starting…'}
          </Text>
        </Group>
        <Group gap="xs">
          {link && (
            <Anchor component={Link} to={`/jobs/${id}`} size="sm">
              View job
            </Anchor>
          )}
          {job && <CancelJob job={job} />}
        </Group>
      </Group>
      <Progress
        value={job ? shareOf(job) : 0}
        color={job && job.failed > 0 && (!isOfLetters(job) || job.notes.length > 0) ? 'yellow' : 'water'}
        animated={job?.state === 'running'}
        aria-label="Progress of the job"
      />
    </Stack>
  );
}

function CancelJob({ job }: { job: JobRecord }) {
  const isOwn = useSession().user.email === job.created_by;
  const may = useMay()('jobs.cancel') || isOwn;
  const cancel = useChange('POST /jobs/:id/cancel');
  if (!may || job.state !== 'running') return null;
  return (
    <ConfirmButton
      label="Cancel job"
      act="Cancel job"
      dismiss="Keep running"
      question="What has been done so far is kept. The rest is left as it is."
      onConfirm={() => cancel.mutateAsync({ id: job.id })}
      button={{ size: 'compact-sm' }}
    />
  );
}

/** What counts as the whole may still be growing while a replay counts. */
const shareOf = ({ state, done, total }: JobRecord): number =>
  state === 'done' ? 100 : total === 0 ? 0 : Math.min(100, (done / total) * 100);

/** Whether it writes a file. */
export const isExport = ({ kind }: Pick<JobRecord, 'kind'>): boolean => kind.endsWith('.export');

/** Whether it retries or discards dead letters, or exports them. */
export const isOfLetters = ({ kind }: Pick<JobRecord, 'kind'>): boolean => kind.startsWith('dead_letters.');

export function describeProgress({ kind, state, done, failed, total }: JobRecord): string {
  // How many there are is known when all are written.
  if (isExport({ kind }) && total === 0)
    return `${formatNumber(done)} ${done === 1 ? 'row' : 'rows'} written`;
  if (state === 'running' && total === 0) return 'Counting…';
  // Those that had been resolved before their turn, and events whose pipeline is disabled or gone.
  const failures =
    failed === 0 ? '' : `, ${formatNumber(failed)} ${isOfLetters({ kind }) ? 'skipped' : 'failed'}`;
  return `${formatNumber(done)} of ${formatNumber(total)} done${failures}`;
}
