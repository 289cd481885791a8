import { Anchor, Badge, Button, CloseButton, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Card } from '../../components/card.tsx';
import { type KnownField, KnownFieldsProvider } from '../../components/condition/known-fields.ts';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';
import { lazily } from '../../lib/lazily.ts';
import { useWithoutRemoved } from '../../lib/undo/use-removals.tsx';
import type { DraftDestination } from './draft.ts';
import classes from './pipeline.module.css';

const ConditionInput = lazily(() => import('../../components/condition/condition-input.tsx'));

/** Where events go, each destination with a condition of its own where it should not get them all. */
export function DestinationsPart(props: {
  chosen: readonly DraftDestination[];
  known: readonly DestinationRecord[];
  mayChange: boolean;
  error: CallError | null;
  fields: readonly KnownField[];
  onChange(chosen: readonly DraftDestination[]): void;
}) {
  const { chosen, known, mayChange, error, fields, onChange } = props;
  const offered = useWithoutRemoved('/destinations', known);
  const left = offered.filter(({ id }) => !chosen.some(each => each.id === id));
  const replace = (id: string, when: string | undefined) =>
    onChange(chosen.map(each => (each.id === id ? { id, when } : each)));
  return (
    <Card title="Destinations" lead="Events that pass the steps go to each of these.">
      <KnownFieldsProvider value={fields}>
        <Stack gap="sm">
          {chosen.map(({ id, when }, place) => (
            <OneDestination
              key={id}
              destination={known.find(each => each.id === id)}
              id={id}
              when={when}
              problem={problemOf(error, `destinations[${place}]`)}
              mayChange={mayChange}
              onChange={changed => replace(id, changed)}
              onRemove={() => onChange(chosen.filter(each => each.id !== id))}
            />
          ))}
          {chosen.length === 0 && (
            <Text size="sm" c="dimmed">
              No destinations: events are processed and not delivered.
            </Text>
          )}
          {mayChange && left.length > 0 && (
            <Select
              aria-label="Add destination"
              placeholder="Add destination"
              searchable
              maw={340}
              value={null}
              data={left.map(({ id, name, kind }) => ({ value: id, label: `${name} (${kind})` }))}
              onChange={id => id && onChange([...chosen, { id }])}
            />
          )}
          {mayChange && offered.length === 0 && chosen.length === 0 && (
            <Text size="sm">
              <Anchor component={Link} to="/destinations" size="sm">
                Create destination
              </Anchor>{' '}
              first; the built-in inbox needs no configuration.
            </Text>
          )}
        </Stack>
      </KnownFieldsProvider>
    </Card>
  );
}

function OneDestination(props: {
  destination: DestinationRecord | undefined;
  id: string;
  when: string | undefined;
  problem: string | null;
  mayChange: boolean;
  onChange(when: string | undefined): void;
  onRemove(): void;
}) {
  const { destination, id, when, problem, mayChange, onChange } = props;
  const name = destination?.name ?? id;
  return (
    <div className={classes.destination}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Group gap="xs" miw={0}>
          <Anchor component={Link} to={`/destinations/${id}`} size="sm" fw={550}>
            {name}
          </Anchor>
          {destination && (
            <Badge color="gray" tt="none" fw={500}>
              {destination.kind}
            </Badge>
          )}
          {when === undefined && (
            <Text span size="xs" c="dimmed">
              every event
            </Text>
          )}
        </Group>
        <Group gap={4} wrap="nowrap">
          {mayChange && (
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() => onChange(when === undefined ? '' : undefined)}
            >
              {when === undefined ? 'Add condition' : 'Every event'}
            </Button>
          )}
          {mayChange && <CloseButton aria-label={`Remove ${name}`} onClick={props.onRemove} />}
        </Group>
      </Group>
      {when === undefined && problem && (
        <Text size="xs" c="red">
          {problem}
        </Text>
      )}
      {when !== undefined && !mayChange && (
        <Text size="sm">
          when <span className="mono">{when}</span>
        </Text>
      )}
      {when !== undefined && mayChange && (
        <Suspense fallback={<TextInput label="When" value={when} readOnly />}>
          <ConditionInput
            label={`When, for ${name}`}
            description="Only events that match go there."
            withAsterisk={false}
            error={problem}
            value={when}
            placeholder='labels.severity == "critical"'
            onChange={onChange}
          />
        </Suspense>
      )}
    </div>
  );
}
