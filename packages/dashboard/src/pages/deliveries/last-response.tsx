import { Text } from '@mantine/core';
import type { DeliveryRecord } from '@sluice/contract/dashboard-letters';
import { formatWholeMs } from '../../lib/format.ts';

/** What the last attempt came to, on one line of a list. */
export function LastResponse({ delivery }: { delivery: Pick<DeliveryRecord, 'attempts' | 'code'> }) {
  const last = delivery.attempts.at(-1);
  if (last === undefined) return delivery.code === null ? '–' : <span className="mono">{delivery.code}</span>;
  return (
    <Text span size="sm" title={last.message ?? undefined}>
      {last.status !== null && <span className="numbers">{last.status} </span>}
      {last.code === null ? (
        last.status === null && 'delivered'
      ) : (
        <span className="mono">{delivery.code ?? last.code}</span>
      )}
      <Text span size="sm" c="dimmed" className="numbers">
        {' '}
        · {formatWholeMs(last.duration_ms)}
      </Text>
    </Text>
  );
}
