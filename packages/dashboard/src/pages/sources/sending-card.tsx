import { Stack, Text } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Command, CopyText } from '../../components/copy.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { RotateDialog } from '../../components/rotate-dialog.tsx';
import { sendCommand } from '../../lib/send-command.ts';

/** Where to send to, and a command that does. */
export function SendingCard({ source }: { source: SourceRecord }) {
  const [secret, setSecret] = useState<string | null>(null);
  const command = sendCommand(source, window.location.origin, secret);
  return (
    <Card title="Sending to it" lead={leadFor(source)}>
      <Stack gap="md">
        {source.kind === 'webhook' && source.url !== null && (
          <CopyText text={source.url} label="Copy the URL" />
        )}
        {secret !== null && <OneTimeSecret secret={secret} what="new secret" />}
        {command !== null && <Command text={command} />}
        {source.kind === 'webhook' && source.auth !== 'none' && (
          <RotateDialog
            route="POST /sources/:id/rotate"
            id={source.id}
            permission="sources.change"
            what="Senders that sign or show either of the two are let in meanwhile."
            previousUntil={source.previous_secret_until}
            onRotated={setSecret}
          />
        )}
        {source.kind === 'webhook' && source.url === null && (
          <Text size="sm" c="dimmed">
            Its URL is shown to members and above: whoever knows it can try to send.
          </Text>
        )}
      </Stack>
    </Card>
  );
}

function leadFor(source: SourceRecord): string {
  if (source.kind === 'sdk')
    return 'Every event of a type that matches, sent with any API key, belongs to it.';
  return 'Every POST becomes one event. A text “type” in the body becomes its type.';
}
