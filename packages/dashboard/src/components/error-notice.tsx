import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { CallError } from '../lib/api/call.ts';

/** What went wrong, what it is about, and what can be done. */
export function ErrorNotice({ error, onRetry }: { error: CallError; onRetry?: () => void }) {
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} aria-hidden />} role="alert">
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm">{error.message}</Text>
          {error.path && (
            <Text size="xs" c="dimmed" className="mono">
              {error.path}
            </Text>
          )}
        </div>
        {onRetry && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
