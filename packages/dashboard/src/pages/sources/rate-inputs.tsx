import { Group, NumberInput } from '@mantine/core';
import type { WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';

type Rate = WebhookSourceRecord['rate'];

/** How much a webhook source takes before it answers 429. */
export function RateInputs(props: { value: Rate; onChange(value: Rate): void; error: CallError | null }) {
  const { value, onChange, error } = props;
  return (
    <Group align="flex-start" gap="md" grow preventGrowOverflow={false}>
      <NumberInput
        label="Rate limit"
        description="Requests per second; 0 is no limit."
        value={value.per_second}
        min={0}
        clampBehavior="none"
        error={problemOf(error, 'rate.per_second')}
        onChange={given => onChange({ ...value, per_second: Number(given) })}
      />
      <NumberInput
        label="Burst"
        description="Most requests in one burst."
        value={value.burst}
        min={0}
        allowDecimal={false}
        clampBehavior="none"
        error={problemOf(error, 'rate.burst')}
        onChange={given => onChange({ ...value, burst: Number(given) })}
      />
    </Group>
  );
}
