import { Group, Text, UnstyledButton } from '@mantine/core';
import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import { formatCapped } from '../../lib/format.ts';
import { useFilters } from '../../lib/use-filters.ts';
import classes from './dead-letters.module.css';

/** So many groups are offered; the rest is found by the filters. */
const MOST_GROUPS = 8;

/** What there is, by where it was going and why it did not arrive: a press narrows the list to it. */
export function LetterGroups({ summary }: { summary: DeadLetterSummary }) {
  const [filters, change] = useFilters();
  const groups = [
    ...summary.by_destination.map(({ destination, code, count }) => ({
      key: `${destination.id} ${code}`,
      name: destination.name,
      why: code ?? 'unknown',
      count,
      filter: { kind: '', pipeline: '', destination: destination.id, code: code ?? '' },
    })),
    ...summary.by_pipeline.map(({ pipeline, count }) => ({
      key: pipeline.id,
      name: pipeline.name,
      why: 'failed in the pipeline',
      count,
      filter: { kind: 'event', pipeline: pipeline.id, destination: '', code: '' },
    })),
  ]
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_GROUPS);
  const none = { kind: '', pipeline: '', destination: '', code: '' };
  return (
    <Group gap="xs" role="group" aria-label="By destination and error">
      {groups.map(({ key, name, why, count, filter }) => {
        const isChosen = Object.entries(filter).every(([field, value]) => (filters[field] ?? '') === value);
        return (
          <UnstyledButton
            key={key}
            className={classes.group ?? ''}
            aria-pressed={isChosen}
            onClick={() => change(isChosen ? none : filter)}
          >
            <Text span size="sm" fw={600}>
              {name}
            </Text>
            <Text span size="sm" c="dimmed" className="mono">
              {why}
            </Text>
            <Text span size="sm" fw={600} className="numbers">
              {formatCapped({ count, more: count >= summary.most })}
            </Text>
          </UnstyledButton>
        );
      })}
    </Group>
  );
}
