import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import type { AttemptRecord } from '@sluice/contract/dashboard-letters';
import { IconTerminal2 } from '@tabler/icons-react';
import { asCurl } from '../../lib/as-curl.ts';
import { formatWholeMs } from '../../lib/format.ts';
import { CopyButtonWith } from '../copy-button.tsx';
import { Disclosure } from '../disclosure.tsx';
import { ExactTime } from '../exact-time.tsx';
import { JsonText } from '../json-text.tsx';
import classes from './attempt-list.module.css';
import { Exchange, HeaderLines } from './exchange.tsx';

/** Every attempt of a delivery: what was sent, what came back, and how long that took. */
export function AttemptList({ attempts }: { attempts: readonly AttemptRecord[] }) {
  const latest = Math.max(...attempts.map(({ n }) => n));
  return (
    <div className={classes.list}>
      {attempts.map(attempt => (
        <Disclosure
          key={attempt.n}
          startsOpen={attempt.n === latest}
          summary={<AttemptLine attempt={attempt} />}
        >
          <SentAndAnswered attempt={attempt} />
        </Disclosure>
      ))}
    </div>
  );
}

function AttemptLine({ attempt }: { attempt: AttemptRecord }) {
  const { n, at, duration_ms, status, code, message } = attempt;
  return (
    <>
      <Text span size="sm" fw={600}>
        Attempt {n}
      </Text>
      <Text span size="sm" className="numbers" data-failed={code !== null || undefined}>
        {status ?? (code === null ? 'delivered' : 'no response')}
      </Text>
      {code !== null && (
        <Text span size="sm" className={`mono ${classes.code}`}>
          {code}
        </Text>
      )}
      <Text span size="sm" c="dimmed" className="numbers">
        <ExactTime at={at} /> · {formatWholeMs(duration_ms)}
      </Text>
      {message && (
        <Text span size="sm" c="dimmed">
          {message}
        </Text>
      )}
    </>
  );
}

function SentAndAnswered({ attempt }: { attempt: AttemptRecord }) {
  const { request, response, status, exchange, cut } = attempt;
  const [, method = '', url = ''] = /^([A-Z]+) (https?:\S+)$/.exec(request.target) ?? [];
  const isWhole = !cut && !request.body.endsWith('…');
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap={6} miw={0}>
          <Group justify="space-between" gap="xs" mih={26}>
            <Text size="xs" fw={600} c="dimmed">
              Request
            </Text>
            {method !== '' && isWhole && (
              <CopyButtonWith
                text={asCurl({ method, url, headers: request.headers, body: request.body })}
                label="Copy as curl"
                icon={<IconTerminal2 size={14} aria-hidden />}
              />
            )}
          </Group>
          <div className={classes.head}>
            <div>{request.target}</div>
            <HeaderLines headers={request.headers} />
          </div>
          {request.body !== '' && <JsonText value={request.body} maxHeight={260} copyLabel="Copy request" />}
        </Stack>
        <Stack gap={6} miw={0}>
          <Group gap="xs" mih={26}>
            <Text size="xs" fw={600} c="dimmed">
              {status === null ? 'Response' : `Response ${status}`}
            </Text>
          </Group>
          <Exchange exchange={exchange} />
          {response === '' ? (
            <Text size="sm" c="dimmed">
              {status === null && attempt.code !== null
                ? (attempt.message ?? 'No response.')
                : 'Empty response.'}
            </Text>
          ) : (
            <JsonText value={response} maxHeight={320} copyLabel="Copy response" />
          )}
        </Stack>
      </SimpleGrid>
      {cut && (
        <Text size="xs" c="dimmed">
          Truncated. View the delivery to see all that was kept.
        </Text>
      )}
    </Stack>
  );
}
