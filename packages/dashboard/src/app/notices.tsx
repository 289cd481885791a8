import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';
import { UndoNotices } from './undo-notices.tsx';

/** Short notices in the corner: what was done, or why it was not. They come after the page itself. */
export default function Notices() {
  return (
    <>
      <Notifications position="bottom-right" />
      <UndoNotices />
    </>
  );
}
