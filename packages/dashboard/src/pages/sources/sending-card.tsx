import { Stack, Text } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Command, CopyText } from '../../components/copy.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { RotateDialog } from '../../components/rotate-dialog.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { sendCommand } from '../../lib/send-command.ts';
import { describeType } from './type-from-draft.ts';

type SentSource = Exclude<SourceRecord, { kind: 'system' }>;

/** Where to send to, and a command that does. */
export function SendingCard({ source }: { source: SentSource }) {
  const [secret, setSecret] = useState<string | null>(null);
  const rotation = useRotation(source);
  const command = sendCommand(source, window.location.origin, secret);
  return (
    <Card title="Send events" lead={leadFor(source)}>
      <Stack gap="md">
        {source.kind === 'webhook' && source.url !== null && <CopyText text={source.url} label="Copy URL" />}
        {secret !== null && <OneTimeSecret secret={secret} what="new secret" />}
        {command !== null && <Command text={command} />}
        {rotation !== null && (
          <RotateDialog
            route="POST /sources/:id/rotate"
            id={source.id}
            permission="sources.change"
            both="While both are valid, senders may use either."
            isPasted={rotation.isPasted}
            previousUntil={rotation.previousUntil}
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

/** How its secret is rotated; null where it has none. */
function useRotation(source: SentSource) {
  const { data: providers = [] } = useCall('GET /kinds/providers');
  if (source.kind === 'sdk' || source.auth === 'none') return null;
  const provider = providers.find(({ name }) => name === source.provider);
  if (source.auth === 'provider' && provider?.fields.secret === undefined) return null;
  const isPasted = provider?.fields.secret?.is_chosen === false;
  return { isPasted, previousUntil: source.previous_secret_until };
}

function leadFor(source: SentSource): string {
  if (source.kind === 'sdk') return 'Receives every event of a matching type sent with any API key.';
  if (source.type_from !== undefined)
    return `Every POST becomes one event. Its type comes from ${describeType(source.type_from)}.`;
  if (source.auth === 'provider')
    return 'Each request signed by the provider becomes an event; its type comes from the request.';
  return 'Every POST becomes one event. A text “type” in the body becomes its type.';
}
