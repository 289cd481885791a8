import { Anchor, Badge, Button, Group, Switch, Text } from '@mantine/core';
import type { PipelineRecord } from '@sluice/contract/dashboard-pipelines';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../components/empty.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { holdsText, ListFilter } from '../../components/list-filter.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { type Column, Rows } from '../../components/rows.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { useAll, useChange } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';

const LEAD = 'What happens to events between a source and its destinations.';

/** The list of pipelines, each with its sources and destinations. */
export default function PipelinesPage() {
  const pipelines = useAll('GET /pipelines', {}, { live: true });
  const sources = useNames(useAll('GET /sources').data);
  const destinations = useNames(useAll('GET /destinations').data);
  const [{ text }] = useFilters();
  const mayChange = useMay()('pipelines.change');
  const change = useChange('PATCH /pipelines/:id');

  if (!pipelines.data) return <Waiting error={pipelines.error} onRetry={() => void pipelines.refetch()} />;
  const create = mayChange && (
    <Button component={Link} to="/pipelines/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New pipeline
    </Button>
  );
  if (pipelines.data.length === 0) {
    return (
      <Page title="Pipelines" lead={LEAD}>
        <Empty
          sentence="A pipeline takes the events of sources through steps and on to destinations. There is none yet, so whatever comes in is kept and goes nowhere."
          action={create}
        />
      </Page>
    );
  }

  const columns: Column<PipelineRecord>[] = [
    {
      header: 'Name',
      width: 'minmax(140px, 1.2fr)',
      cell: ({ id, name }) => (
        <Anchor component={Link} to={`/pipelines/${id}`} size="sm" fw={550}>
          {name}
        </Anchor>
      ),
    },
    {
      header: 'Enabled',
      width: '84px',
      cell: ({ id, name, enabled }) =>
        mayChange ? (
          <Switch
            size="sm"
            aria-label={`${name} is enabled`}
            checked={enabled}
            disabled={change.isPending}
            onChange={event => change.mutate({ id, body: { enabled: event.currentTarget.checked } })}
          />
        ) : (
          <StateBadge state={enabled ? 'active' : 'disabled'} />
        ),
    },
    { header: 'Sources', width: 'minmax(110px, 1fr)', onlyWide: true, cell: row => sources(row.sources) },
    {
      header: 'Steps',
      width: 'minmax(170px, 2fr)',
      onlyWide: true,
      cell: ({ steps }) => <Steps steps={steps} />,
    },
    {
      header: 'Destinations',
      width: 'minmax(110px, 1fr)',
      onlyWide: true,
      cell: row => destinations(row.destinations.map(({ id }) => id)),
    },
    {
      header: 'Version',
      width: '70px',
      cell: ({ version }) => <span className="numbers">{version}</span>,
    },
    {
      header: 'Updated',
      width: '110px',
      onlyWide: true,
      cell: ({ updated_at }) => <RelativeTime at={updated_at} />,
    },
  ];
  const shown = pipelines.data.filter(({ name, steps }) =>
    holdsText(text, name, ...steps.map(({ kind }) => kind)),
  );
  return (
    <Page title="Pipelines" lead={LEAD} actions={create} fill>
      <ListFilter placeholder="Name or step" />
      {change.error && <ErrorNotice error={change.error} />}
      {shown.length === 0 ? (
        <Empty sentence="No pipeline has such a name or such a step." />
      ) : (
        <Rows
          label="Pipelines"
          rows={shown}
          columns={columns}
          keyOf={({ id }) => id}
          pageOf={({ id }) => `/pipelines/${id}`}
        />
      )}
    </Page>
  );
}

const MOST_CHIPS = 3;

function Steps({ steps }: { steps: PipelineRecord['steps'] }) {
  if (steps.length === 0)
    return (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    );
  return (
    <Group gap={4} wrap="nowrap">
      {steps.slice(0, MOST_CHIPS).map(({ kind }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
        <Badge key={place} color="gray" tt="none" fw={500} style={{ flex: 'none' }}>
          {kind}
        </Badge>
      ))}
      {steps.length > MOST_CHIPS && (
        <Text span size="xs" c="dimmed">
          +{steps.length - MOST_CHIPS}
        </Text>
      )}
    </Group>
  );
}

/** The names of these ids, in one line. */
function useNames(rows: readonly { readonly id: string; readonly name: string }[] = []) {
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return (ids: readonly string[]) =>
    ids.length === 0 ? (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    ) : (
      ids.map(id => names.get(id) ?? id).join(', ')
    );
}
