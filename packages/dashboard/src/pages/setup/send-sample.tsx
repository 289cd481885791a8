import { Alert, Button, Group, Stack, Tabs, Text } from '@mantine/core';
import type { RotatedSourceRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { Command } from '../../components/copy.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { CallError, call, readAnswer } from '../../lib/api/call.ts';
import { readAllAgain } from '../../lib/api/read-all-again.ts';
import { useMay } from '../../lib/session.tsx';
import { commandWithKey } from '../../lib/shell-command.ts';
import { type FirstFlow, openForCode } from './first-flow.ts';
import { canSign, SAMPLE_BODY, sign, signedCommand, signingCommand } from './sample.ts';

interface Props {
  readonly flow: FirstFlow;
  readonly source: WebhookSourceRecord;
  /** Null where it was made at another time: it is shown once only. */
  readonly secret: string | null;
  onSecret(secret: string): void;
}

/** Commands that can be pasted as they stand, and a button for those who have no terminal at hand. */
export function SendSample({ flow, source, secret, onSecret }: Props) {
  const may = useMay();
  return (
    <Card title="2. Send an event" lead="Paste this into a terminal, or let the browser send it.">
      {source.url === null ? (
        <Text size="sm" c="dimmed">
          The address of a source is shown to members and above.
        </Text>
      ) : (
        <Tabs defaultValue="webhook" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="webhook">Webhook</Tabs.Tab>
            <Tabs.Tab value="signing">Sign it yourself</Tabs.Tab>
            {may('keys.change') && <Tabs.Tab value="key">With an API key</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="webhook">
            {secret === null ? (
              <NewSecret source={source} onSecret={onSecret} />
            ) : (
              <Signed url={source.url} token={source.token ?? ''} secret={secret} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="signing">
            {secret === null ? (
              <NewSecret source={source} onSecret={onSecret} />
            ) : (
              <Command text={signingCommand(source.url, secret)} />
            )}
          </Tabs.Panel>
          <Tabs.Panel value="key">
            <WithKey flow={flow} base={source.url.replace(/\/whk\/.*$/, '')} />
          </Tabs.Panel>
        </Tabs>
      )}
    </Card>
  );
}

function Signed({ url, token, secret }: { url: string; token: string; secret: string }) {
  const [signature, setSignature] = useState<string | null>(null);
  useEffect(() => {
    if (canSign()) void sign(secret, SAMPLE_BODY).then(setSignature);
  }, [secret]);
  const send = useMutation<unknown, CallError, string>({
    // By the path, not by the URL shown: that may name another host, and a page may call its own only.
    mutationFn: async signed => {
      const response = await fetch(`/whk/${token}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Ingest-Signature': signed },
        body: SAMPLE_BODY,
      }).catch(() => {
        throw new CallError(0, 'unreachable', 'The server is not responding. Is it running?', null);
      });
      return readAnswer(response.status, await response.text());
    },
  });

  if (!canSign()) {
    return (
      <Stack>
        <Text size="sm">
          Browsers sign only on pages served over HTTPS or from this machine, so the command does it.
        </Text>
        <Command text={signingCommand(url, secret)} />
      </Stack>
    );
  }
  if (signature === null) return null;
  return (
    <Stack>
      <Command text={signedCommand(url, signature)} />
      {send.error && <ErrorNotice error={send.error} />}
      <Group gap="sm">
        <Button loading={send.isPending} onClick={() => send.mutate(signature)}>
          Send it for me
        </Button>
        <Text size="xs" c="dimmed">
          The secret of this source is shown on this page only, until you leave it.
        </Text>
      </Group>
    </Stack>
  );
}

/** A secret is shown once. Whoever comes back later makes a new one; the one before holds no longer. */
function NewSecret({ source, onSecret }: Pick<Props, 'source' | 'onSecret'>) {
  const rotate = useMutation<RotatedSourceRecord, CallError, void>({
    mutationFn: () => call('POST /sources/:id/rotate', { id: source.id, body: { overlap_s: 0 } }),
    onSuccess: ({ secret }) => onSecret(secret ?? ''),
  });
  return (
    <Stack align="flex-start">
      <Text size="sm">
        The secret of “{source.name}” was shown when it was created. A new one fills in the command again, and
        the one before stops working.
      </Text>
      {rotate.error && <ErrorNotice error={rotate.error} />}
      <Button variant="default" loading={rotate.isPending} onClick={() => rotate.mutate()}>
        Create new secret
      </Button>
    </Stack>
  );
}

function WithKey({ flow, base }: { flow: FirstFlow; base: string }) {
  const queries = useQueryClient();
  const open = useMutation<string, CallError, void>({
    mutationFn: () => openForCode(flow),
    onSettled: () => readAllAgain(queries),
  });
  if (open.data !== undefined) {
    return (
      <Stack>
        <Alert color="yellow" variant="light">
          You won’t be able to see this key again. Revoke it under Settings when you are done.
        </Alert>
        <Command text={commandWithKey(base, open.data)} />
      </Stack>
    );
  }
  return (
    <Stack align="flex-start">
      <Text size="sm">
        Your own code sends with an API key. This creates one, and a source that sends every type of event to
        the same pipeline.
      </Text>
      {open.error && <ErrorNotice error={open.error} />}
      <Button variant="default" loading={open.isPending} onClick={() => open.mutate()}>
        Create key
      </Button>
    </Stack>
  );
}
