import { Alert, Button, Group, Text } from '@mantine/core';

/** Says that the form holds what was typed before a reload, and offers to begin again. */
export function RestoredNotice({
  hasSecrets = false,
  ...props
}: {
  hasSecrets?: boolean;
  onDiscard(): void;
}) {
  return (
    <Alert color="blue" variant="light">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          Your unsaved changes were restored.{hasSecrets && ' Secrets have to be entered again.'}
        </Text>
        <Button size="compact-sm" variant="default" onClick={props.onDiscard}>
          Discard
        </Button>
      </Group>
    </Alert>
  );
}

/** Says that what was typed before a reload is gone, in the place where it would be said to be back. */
export const OutdatedNotice = () => (
  <Alert color="yellow" variant="light" role="status">
    <Text size="sm">
      Your unsaved changes were not restored: what you were editing has been saved elsewhere since.
    </Text>
  </Alert>
);
