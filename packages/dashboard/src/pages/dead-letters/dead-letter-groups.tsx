import { ActionIcon, Button, Text, Tooltip, UnstyledButton } from '@mantine/core';
import type { DeadLetterSummary } from '@sluice/contract/dashboard-letters';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCapped } from '../../lib/format.ts';
import { removeRow } from '../../lib/undo/focus-after-removal.ts';
import { useFilters } from '../../lib/use-filters.ts';
import classes from './dead-letters.module.css';
import { type DeadLetterFilter, groupsOf, type LetterGroup } from './letter-filter.ts';
import { useGroupsLeft, useLetters } from './use-letters.ts';

/** So many groups are shown until somebody asks for all. */
const FEW_GROUPS = 6;

const none = { kind: '', pipeline: '', step: '', reason: '', destination: '', code: '', status: '' };

/** What there is, by where it was going and why it did not arrive: a press narrows the list to it, another retries it. */
export function LetterGroups(props: {
  summary: DeadLetterSummary;
  /** From when to when they are counted. */
  times: Pick<DeadLetterFilter, 'after' | 'before'>;
  mayChange: boolean;
  onJob(id: string): void;
}) {
  const { summary, times, mayChange } = props;
  const [filters, change] = useFilters();
  const [showsAll, setShowsAll] = useState(false);
  const letters = useLetters(props.onJob);
  const groups = useGroupsLeft(groupsOf(summary));
  // What nobody has counted may belong to any of them.
  const more = { delivery: summary.deliveries >= summary.most, event: summary.events >= summary.most };
  const countOf = ({ count, filter }: LetterGroup) =>
    formatCapped({ count, more: filter.kind === 'event' ? more.event : more.delivery });
  return (
    <div>
      <ul className={classes.groups} aria-label="By destination and error">
        {groups.slice(0, showsAll ? undefined : FEW_GROUPS).map(group => {
          const { key, name, why, message, filter } = group;
          const isChosen = Object.entries({ ...none, ...filter }).every(
            ([field, value]) => (filters[field] ?? '') === value,
          );
          const called = `${name}, ${why}`;
          return (
            <li key={key} className={classes.group} data-chosen={isChosen || undefined}>
              <UnstyledButton
                className={classes.groupButton ?? ''}
                aria-pressed={isChosen}
                onClick={() => change(isChosen ? none : { ...none, ...filter })}
              >
                <Text span size="sm" fw={600} className={classes.name ?? ''} title={name}>
                  {name}
                </Text>
                <Text span size="sm" className={`mono ${classes.why}`}>
                  {why}
                </Text>
                <Text
                  span
                  size="sm"
                  c="dimmed"
                  className={classes.message ?? ''}
                  title={message ?? undefined}
                >
                  {message}
                </Text>
                <Text span size="sm" fw={600} className={`numbers ${classes.count}`}>
                  {countOf(group)}
                </Text>
              </UnstyledButton>
              {mayChange && (
                <>
                  <Tooltip label="Retry group">
                    <ActionIcon
                      variant="subtle"
                      aria-label={`Retry all of ${called}`}
                      disabled={letters.isRetrying}
                      onClick={() => void letters.retryMatching({ ...filter, ...times } as DeadLetterFilter)}
                    >
                      <IconRefresh size={17} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label="Discard group">
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Discard all of ${called}`}
                      onClick={({ currentTarget }) =>
                        removeRow(currentTarget, () =>
                          letters.discardMatching(
                            { ...filter, ...times } as DeadLetterFilter,
                            `${countOf(group)} of ${called}`,
                          ),
                        )
                      }
                    >
                      <IconTrash size={17} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {groups.length > FEW_GROUPS && (
        <Button variant="subtle" size="compact-sm" mt={6} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? 'Show fewer groups' : `Show all ${groups.length} groups`}
        </Button>
      )}
    </div>
  );
}
