import { Checkbox, Stack } from '@mantine/core';
import type { AlertsRecord } from '@sluice/contract/dashboard-alerts';
import { type SystemEventType, systemEvents } from '@sluice/contract/system-events';

/** Which system events are told. */
export function AlertTypes(props: {
  offered: AlertsRecord['types'];
  value: readonly SystemEventType[];
  onChange(types: SystemEventType[]): void;
}) {
  const { offered, value } = props;
  // In the order of the table, however they were ticked.
  const choose = (chosen: readonly string[]) =>
    props.onChange(offered.map(({ type }) => type).filter(type => chosen.includes(type)));
  return (
    <Checkbox.Group aria-label="System events" value={[...value]} onChange={choose}>
      <Stack gap="xs">
        {offered.map(({ type }) => (
          <Checkbox
            key={type}
            value={type}
            label={systemEvents[type].title}
            description={systemEvents[type].when}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
