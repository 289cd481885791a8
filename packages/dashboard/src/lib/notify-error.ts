import { notifications } from '@mantine/notifications';

/** Says in the corner why something was not done, where the page has no better place for it. */
export const notifyError = (error: unknown): void =>
  void notifications.show({ color: 'red', message: error instanceof Error ? error.message : String(error) });
