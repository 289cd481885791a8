import { Anchor, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';
import type { PipelineDraft } from './draft.ts';

/** What it is called, whether it runs, and which sources it listens to. */
export function BasicsPart(props: {
  draft: PipelineDraft;
  sources: readonly SourceRecord[];
  mayChange: boolean;
  error: CallError | null;
  onChange(changed: Partial<PipelineDraft>): void;
}) {
  const { draft, sources, mayChange, error, onChange } = props;
  return (
    <Card>
      <Stack gap="md">
        <TextInput
          label="Name"
          withAsterisk
          maxLength={100}
          value={draft.name}
          disabled={!mayChange}
          error={problemOf(error, 'name')}
          onChange={event => onChange({ name: event.currentTarget.value })}
        />
        <MultiSelect
          label="Sources"
          description="Whose events it takes."
          placeholder={draft.sources.length === 0 ? 'Choose sources' : ''}
          searchable
          clearable
          disabled={!mayChange}
          value={[...draft.sources]}
          error={problemOf(error, 'sources')}
          data={sources.map(source => ({
            value: source.id,
            label: source.kind === 'sdk' ? `${source.name} (${source.match})` : source.name,
          }))}
          onChange={chosen => onChange({ sources: chosen })}
        />
        {sources.length === 0 && mayChange && (
          <Text size="sm">
            There are no sources yet.{' '}
            <Anchor component={Link} to="/sources" size="sm">
              Create source
            </Anchor>{' '}
            so that events can come in.
          </Text>
        )}
        <Switch
          label="Enabled"
          description="While it is off, its events are kept and it does nothing to them."
          checked={draft.enabled}
          disabled={!mayChange}
          onChange={event => onChange({ enabled: event.currentTarget.checked })}
        />
      </Stack>
    </Card>
  );
}
