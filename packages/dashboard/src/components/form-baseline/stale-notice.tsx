import { Alert, Button, Group, Text } from '@mantine/core';

/** Says beside a form that what is stored has become another, and leaves it to whoever fills it in what to do. */
export const StaleNotice = ({
  effect = 'Saving overwrites only the fields you edited.',
  onLoad,
}: {
  /** What saving would do all the same. */
  effect?: string;
  onLoad(): void;
}) => (
  <Alert color="yellow" variant="light" role="status" p="xs">
    <Group justify="space-between" gap="xs">
      <Text size="sm">It has changed in the meantime. {effect}</Text>
      <Button variant="default" size="compact-sm" onClick={onLoad}>
        Load latest
      </Button>
    </Group>
  </Alert>
);
