import { Grid, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import type { DeliveryPolicy } from '@sluice/contract/dashboard-deliveries';
import type { RefObject } from 'react';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';
import { capitalised } from '../../lib/format.ts';
import { describeDelays, describeRetries, readDelays } from './retry-policy-text.ts';

const numbers = [
  { name: 'attempts', label: 'Max attempts', hint: 'After that it is dead-lettered.', isWhole: true },
  {
    name: 'timeout_s',
    label: 'Timeout in seconds',
    hint: 'From connecting to the last byte.',
    isWhole: false,
  },
  { name: 'concurrency', label: 'Concurrency', hint: 'Concurrent deliveries.', isWhole: true },
  {
    name: 'rate_per_second',
    label: 'Rate limit',
    hint: 'Deliveries per second; 0 is no limit.',
    isWhole: false,
  },
] as const;

/** How often and how fast a destination is sent to, and what that amounts to. */
export function PolicyForm(props: {
  value: DeliveryPolicy;
  onChange(value: DeliveryPolicy): void;
  /** The delays as they are written, which may be none yet. */
  delays: string;
  onDelays(text: string): void;
  delaysField: RefObject<HTMLInputElement | null>;
  error: CallError | null;
}) {
  const { value, onChange, error } = props;
  const isBroken = readDelays(props.delays) === null;
  return (
    <Stack gap="sm">
      {!isBroken && (
        <Text size="sm">
          <b>{capitalised(describeRetries(value))}</b>: {describeDelays(value)}.
          {value.attempts > 1 && ' Each delay varies by ±20%, so that retries are spread out.'}
        </Text>
      )}
      <Grid gap="sm">
        {numbers.map(({ name, label, hint, isWhole }) => (
          <Grid.Col key={name} span={{ base: 12, xs: 6 }}>
            <NumberInput
              label={label}
              description={hint}
              value={value[name]}
              allowDecimal={!isWhole}
              clampBehavior="none"
              error={problemOf(error, `policy.${name}`)}
              onChange={given => onChange({ ...value, [name]: Number(given) })}
            />
          </Grid.Col>
        ))}
        <Grid.Col span={12}>
          <TextInput
            label="Retry schedule"
            description="The first is usually 0; the last repeats."
            ref={props.delaysField}
            value={props.delays}
            error={isBroken ? 'Use delays such as 0, 5s, 2m, 1h.' : problemOf(error, 'policy.schedule_s')}
            onChange={event => props.onDelays(event.currentTarget.value)}
          />
        </Grid.Col>
      </Grid>
    </Stack>
  );
}
