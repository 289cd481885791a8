import { type MantineColorScheme, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import type { TimeDisplay } from '@sluice/contract/dashboard-accounts';
import type { ReactNode } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { useChange } from '../../lib/api/use-call.ts';
import { formatWithZone, showTimesAs } from '../../lib/time-display.ts';

const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];
const zones: { value: TimeDisplay['time_zone']; label: string }[] = [
  { value: 'local', label: 'Local' },
  { value: 'utc', label: 'UTC' },
];
const clocks: { value: TimeDisplay['clock']; label: string }[] = [
  { value: '24h', label: '24-hour' },
  { value: '12h', label: '12-hour' },
];

/** The theme, which belongs to a screen, and how times are written, which belongs to the person. */
export function AppearanceCard({ display }: { display: TimeDisplay }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const change = useChange('PATCH /account');
  const now = useNow();
  // At once, so that whatever is drawn again with the answer has it.
  const save = (body: Partial<TimeDisplay>) => {
    showTimesAs({ ...display, ...body });
    change.mutate({ body }, { onError: () => showTimesAs(display) });
  };
  const shown = { ...display, ...(change.isPending ? change.variables.body : {}) };
  return (
    <Card title="Appearance">
      <Stack gap="md" align="flex-start">
        <Choice id="theme" label="Theme" hint="Stored in this browser.">
          <SegmentedControl
            aria-labelledby="theme"
            data={schemes}
            value={colorScheme}
            onChange={value => setColorScheme(value as MantineColorScheme)}
          />
        </Choice>
        <Choice id="time-zone" label="Time zone" hint="Saved with your account.">
          <SegmentedControl
            aria-labelledby="time-zone"
            data={zones}
            value={shown.time_zone}
            onChange={value => save({ time_zone: value as TimeDisplay['time_zone'] })}
          />
        </Choice>
        <Choice id="clock" label="Clock" hint="Saved with your account.">
          <SegmentedControl
            aria-labelledby="clock"
            data={clocks}
            value={shown.clock}
            onChange={value => save({ clock: value as TimeDisplay['clock'] })}
          />
        </Choice>
        {change.error && <ErrorNotice error={change.error} />}
        <Text size="sm" c="dimmed">
          Now: <span className="numbers">{formatWithZone(now)}</span>
        </Text>
      </Stack>
    </Card>
  );
}

function Choice(props: { id: string; label: string; hint: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={500} id={props.id}>
        {props.label}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        {props.hint}
      </Text>
      {props.children}
    </div>
  );
}
