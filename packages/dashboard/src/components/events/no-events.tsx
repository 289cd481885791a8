import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../lib/session.tsx';
import { commandAskingForKey } from '../../lib/shell-command.ts';
import { Empty } from '../empty.tsx';

/** Where nothing has come in yet: how to send something. */
export function NoEvents() {
  const may = useMay();
  return (
    <Empty
      sentence="Nothing has come in yet. Send a first event with a key of yours, or give a webhook's address to whoever should send."
      action={
        <Button component={Link} to={may('sources.change') ? '/sources' : '/settings/keys'}>
          {may('sources.change') ? 'Create source' : 'See the keys'}
        </Button>
      }
      command={commandAskingForKey({
        url: `${location.origin}/v1/ingest`,
        body: { events: [{ type: 'order.paid', payload: { total: 42 } }] },
      })}
    />
  );
}
