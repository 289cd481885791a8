import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { type EventColumnName, eventColumnNames } from '@sluice/contract/dashboard-views';
import { IconColumns3 } from '@tabler/icons-react';
import { headerOf, usualColumns } from '../../../components/events/event-columns.tsx';

/** Which columns a list of events has; the type always, since it leads to the event. */
export function ColumnChoice(props: {
  names: readonly EventColumnName[];
  onChange(names: readonly EventColumnName[]): void;
}) {
  const { names, onChange } = props;
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconColumns3 size={15} aria-hidden />}
          visibleFrom="md"
        >
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap={8}>
          {eventColumnNames.map(name => (
            <Checkbox
              key={name}
              size="xs"
              label={headerOf(name)}
              checked={names.includes(name)}
              disabled={name === 'type'}
              onChange={() =>
                onChange(names.includes(name) ? names.filter(each => each !== name) : [...names, name])
              }
            />
          ))}
          <Button size="compact-xs" variant="subtle" onClick={() => onChange(usualColumns)}>
            Reset
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
