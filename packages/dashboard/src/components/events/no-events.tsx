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
      sentence="No events yet. Send one with an API key, or give the URL of a webhook source to the sender."
      action={
        <Button component={Link} to={may('sources.change') ? '/sources' : '/settings/keys'}>
          {may('sources.change') ? 'Create source' : 'View API keys'}
        </Button>
      }
      command={commandAskingForKey({
        url: `${location.origin}/v1/ingest`,
        body: { events: [{ type: 'order.paid', payload: { total: 42 } }] },
      })}
    />
  );
}
