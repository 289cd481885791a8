import { Alert, Button, Group, Text } from '@mantine/core';

/** Says beside a form that what is stored has become another, and leaves it to whoever fills it in what to do. */
export const StaleNotice = ({ onLoad }: { onLoad(): void }) => (
  <Alert color="yellow" variant="light" role="status" p="xs">
    <Group justify="space-between" gap="xs">
      <Text size="sm">It has changed meanwhile. Saving changes only what you filled in.</Text>
      <Button variant="default" size="compact-sm" onClick={onLoad}>
        Load it
      </Button>
    </Group>
  </Alert>
);
