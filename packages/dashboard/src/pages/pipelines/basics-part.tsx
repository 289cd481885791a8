import { Anchor, Group, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import facts from '../../components/facts.module.css';
import { Fact } from '../../components/kind-form/kind-facts.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import { StateBadge } from '../../components/state-badge.tsx';
import type { CallError } from '../../lib/api/call.ts';
import { useWithoutRemoved } from '../../lib/undo/use-removals.tsx';
import type { PipelineDraft } from './draft.ts';

/** The same for those who may not change it. Its name is the title of the page. */
function BasicFacts({ draft, sources }: { draft: PipelineDraft; sources: readonly SourceRecord[] }) {
  return (
    <Card>
      <dl className={facts.facts}>
        <Fact label="State">
          <StateBadge state={draft.enabled ? 'enabled' : 'disabled'} />
        </Fact>
        <Fact label="Sources">
          {draft.sources.length === 0 && 'none'}
          <Group gap="xs">
            {draft.sources.map(id => (
              <Anchor key={id} component={Link} to={`/sources/${id}`} size="sm">
                {sources.find(source => source.id === id)?.name ?? id}
              </Anchor>
            ))}
          </Group>
        </Fact>
      </dl>
    </Card>
  );
}

/** What it is called, whether it runs, and which sources it listens to. */
export function BasicsPart(props: {
  draft: PipelineDraft;
  sources: readonly SourceRecord[];
  mayChange: boolean;
  error: CallError | null;
  onChange(changed: Partial<PipelineDraft>): void;
}) {
  const { draft, sources, mayChange, error, onChange } = props;
  const offered = useWithoutRemoved('/sources', sources);
  // What it has stays named, although it is being deleted.
  const choices = sources.filter(source => offered.includes(source) || draft.sources.includes(source.id));
  if (!mayChange) return <BasicFacts draft={draft} sources={sources} />;
  return (
    <Card>
      <Stack gap="md">
        <TextInput
          label="Name"
          withAsterisk
          maxLength={100}
          value={draft.name}
          error={problemOf(error, 'name')}
          onChange={event => onChange({ name: event.currentTarget.value })}
        />
        <MultiSelect
          label="Sources"
          description="It processes the events of these sources."
          placeholder={draft.sources.length === 0 ? 'Choose sources' : ''}
          searchable
          clearable
          value={[...draft.sources]}
          error={problemOf(error, 'sources')}
          data={choices.map(source => ({
            value: source.id,
            label: source.kind === 'sdk' ? `${source.name} (${source.match})` : source.name,
          }))}
          onChange={chosen => onChange({ sources: chosen })}
        />
        {choices.length === 0 && (
          <Text size="sm">
            No sources yet.{' '}
            <Anchor component={Link} to="/sources" size="sm">
              Create source
            </Anchor>{' '}
            to receive events.
          </Text>
        )}
        <Switch
          label="Enabled"
          description="While it is disabled, its events are stored and not processed."
          checked={draft.enabled}
          onChange={event => onChange({ enabled: event.currentTarget.checked })}
        />
      </Stack>
    </Card>
  );
}
