import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import type { JobRecord } from '@sluice/contract/dashboard-pipelines';
import { IconDownload, IconInfoCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { CopyText } from '../../components/copy.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import facts from '../../components/facts.module.css';
import { isExport, JobProgress } from '../../components/job-progress.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { addressOf } from '../../lib/api/path.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { formatBytes } from '../../lib/format.ts';
import { useMay } from '../../lib/session.tsx';
import { usePathId } from '../../lib/use-path-id.ts';
import { describeJob, isForAdmins, jobTitle, outcomeOf } from './job-labels.ts';

/** A long piece of work: how far it has come, who asked for it, and what came of it. */
export default function JobPage() {
  const id = usePathId();
  const { data: job, error, refetch } = useCall('GET /jobs/:id', { id }, { live: true });
  if (!job) return <Waiting error={error} onRetry={() => void refetch()} />;
  const outcome = outcomeOf(job);
  return (
    <Page
      title={jobTitle(job)}
      badge={<StateBadge state={job.state} />}
      lead={describeJob(job)}
      actions={
        <Anchor component={Link} to="/jobs" size="sm">
          All jobs
        </Anchor>
      }
    >
      <Card title="Progress">
        <JobProgress id={job.id} link={false} />
      </Card>
      {isExport(job) && job.state === 'done' && <ExportedFile job={job} />}
      {job.notes.map(note => (
        <Alert key={note} color="yellow" variant="light" icon={<IconInfoCircle size={18} aria-hidden />}>
          {note}
        </Alert>
      ))}
      <Card>
        <dl className={facts.facts}>
          <dt>Requested by</dt>
          <dd>{job.created_by}</dd>
          <dt>Started</dt>
          <dd>
            <ExactTime at={job.created_at} />
          </dd>
          {job.finished_at && (
            <>
              <dt>Ended</dt>
              <dd>
                <ExactTime at={job.finished_at} />
              </dd>
            </>
          )}
          <dt>Result</dt>
          <dd>
            <Anchor component={Link} to={outcome.to} search={outcome.search as never} size="sm">
              {outcome.label}
            </Anchor>
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyText text={job.id} label="Copy id" />
          </dd>
        </dl>
      </Card>
    </Page>
  );
}

/** What an export wrote: a day later it is gone. */
function ExportedFile({ job }: { job: JobRecord }) {
  const { id, file } = job;
  const mayKnowAddresses = useMay()('members.change');
  if (isForAdmins(job) && !mayKnowAddresses)
    return (
      <Card title="File">
        <Text size="sm" c="dimmed">
          This file includes IP addresses. Only admins and owners can download it.
        </Text>
      </Card>
    );
  return (
    <Card title="File">
      {file ? (
        <Group gap="md">
          <Button
            component="a"
            href={addressOf('GET /jobs/:id/file', { id })}
            download
            leftSection={<IconDownload size={16} aria-hidden />}
          >
            Download
          </Button>
          <Text size="sm" c="dimmed">
            {formatBytes(file.bytes)}, available until <ExactTime at={file.until} to="second" />
          </Text>
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          The file has been removed. Export again to get a new one.
        </Text>
      )}
    </Card>
  );
}
