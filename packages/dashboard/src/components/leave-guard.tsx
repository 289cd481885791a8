import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';

/** Asks before a page with unsaved changes is left; the browser asks where the tab is closed and nothing is kept. */
export function LeaveGuard(props: {
  isUnsaved(): boolean;
  /** Where a reload loses nothing. */
  isKept?: boolean;
  /** They leave: what they typed is not wanted. */
  onLeave?(): void;
}) {
  const { isUnsaved, isKept = false } = props;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: () => !isKept && isUnsaved(),
    withResolver: true,
  });
  const leave = () => {
    props.onLeave?.();
    proceed?.();
  };
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving?">
      <Stack>
        <Text size="sm">Your unsaved changes will be lost.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => reset?.()} data-autofocus>
            Stay
          </Button>
          <Button color="red" onClick={leave}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
