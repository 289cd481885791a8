import { Accordion, Badge, Group, Stack, Text } from '@mantine/core';
import type { RejectionGroupRecord, WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import facts from '../../components/facts.module.css';
import { Fact } from '../../components/kind-form/kind-facts.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useCall } from '../../lib/api/use-call.ts';
import { formatNumber } from '../../lib/format.ts';
import { hintFor, refusalTitle } from './source-labels.ts';

/** Requests that were rejected, by their reason, each with what to do about it and who sent the latest. */
export function RejectedRequests({ source }: { source: WebhookSourceRecord }) {
  const {
    data = [],
    isPending,
    error,
    refetch,
  } = useCall('GET /sources/:id/rejections/groups', { id: source.id }, { live: true });
  return (
    <Card title="Rejected requests" lead="The last 1,000 rejected requests to its URL, without bodies.">
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && !isPending && data.length === 0 && (
        <Text size="sm" c="dimmed">
          No rejected requests
        </Text>
      )}
      {data.length > 0 && (
        <Accordion variant="default" chevronPosition="left">
          {data.map(group => (
            <ReasonGroup key={`${group.code} ${group.message}`} group={group} auth={source.auth} />
          ))}
        </Accordion>
      )}
    </Card>
  );
}

function ReasonGroup({ group, auth }: { group: RejectionGroupRecord; auth: WebhookSourceRecord['auth'] }) {
  const { code, message, count, last_at, latest } = group;
  return (
    // It becomes part of an id, which has no blanks.
    <Accordion.Item value={encodeURIComponent(`${code} ${message}`)}>
      <Accordion.Control>
        <Group gap="xs">
          <Badge color="red" tt="none" fw={600} flex="none">
            {refusalTitle(code, auth)}
          </Badge>
          <Text size="sm" lineClamp={2} flex="1 1 220px">
            {message}
          </Text>
          <Text size="sm" c="dimmed" flex="none">
            {formatNumber(count)}×, last <RelativeTime at={last_at} />
          </Text>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Text size="sm" mb={6} style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Text size="sm" c="dimmed" mb="sm">
          {hintFor(code, auth)}
        </Text>
        <Stack gap="sm" component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Latest requests">
          {withKeys(latest).map(([key, request]) => (
            <li key={key}>
              <Request request={request} />
            </li>
          ))}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function Request({ request }: { request: RejectionGroupRecord['latest'][number] }) {
  const headers = Object.entries(request.headers);
  return (
    <>
      <Text size="sm">
        <RelativeTime at={request.at} /> from{' '}
        <span className="mono">{request.address ?? 'an unknown address'}</span>
      </Text>
      {headers.length > 0 && (
        <dl className={facts.facts}>
          {headers.map(([name, value]) => (
            <Fact key={name} label={name}>
              <span className="mono">{value}</span>
            </Fact>
          ))}
        </dl>
      )}
    </>
  );
}

/** A request is known by its time, and by its place among those of the same millisecond. */
function withKeys<Row extends { readonly at: string }>(rows: readonly Row[]): [string, Row][] {
  const seen = new Map<string, number>();
  return rows.map(row => {
    const before = seen.get(row.at) ?? 0;
    seen.set(row.at, before + 1);
    return [`${row.at}-${before}`, row];
  });
}
