import { Stack, Text } from '@mantine/core';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { Card } from '../../components/card.tsx';
import facts from '../../components/facts.module.css';
import { Fact, KindFacts } from '../../components/kind-form/kind-facts.tsx';
import { askedFields, variantsOf } from '../../components/kind-form/schema.ts';
import { formatNumber } from '../../lib/format.ts';
import { describeDelays, describeRetries } from './retry-policy-text.ts';

/** The configuration of a destination for those who may not change it. */
export function DestinationFacts(props: { kind: KindRecord; destination: DestinationRecord }) {
  const { kind, destination } = props;
  const { policy } = destination;
  const hasConfig = variantsOf(kind.schema).length > 0 || askedFields(kind.schema).length > 0;
  return (
    <Card title="Configuration">
      <Stack gap="md">
        {hasConfig && <KindFacts schema={kind.schema} value={destination.config} />}
        <dl className={facts.facts}>
          <Fact label="Retries">
            {describeRetries(policy)}
            <Text size="sm" c="dimmed">
              {describeDelays(policy)}
            </Text>
          </Fact>
          <Fact label="Timeout">{policy.timeout_s} s</Fact>
          <Fact label="Concurrency">{formatNumber(policy.concurrency)}</Fact>
          <Fact label="Rate limit">
            {policy.rate_per_second === 0 ? 'none' : `${formatNumber(policy.rate_per_second)}/s`}
          </Fact>
        </dl>
      </Stack>
    </Card>
  );
}
