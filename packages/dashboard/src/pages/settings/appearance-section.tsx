import { type MantineColorScheme, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { Card } from '../../components/card.tsx';

const schemes: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function AppearanceSection() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Card title="Appearance" lead="Kept in this browser.">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" id="colours">
          Colours
        </Text>
        <SegmentedControl
          aria-labelledby="colours"
          data={schemes}
          value={colorScheme}
          onChange={value => setColorScheme(value as MantineColorScheme)}
        />
      </Stack>
    </Card>
  );
}
