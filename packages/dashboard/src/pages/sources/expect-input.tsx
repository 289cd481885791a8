import { NumberInput } from '@mantine/core';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';

/** How often a source should hear from its sender at least; empty: nobody is told of its silence. */
export function ExpectInput(props: {
  value: number | null;
  onChange(value: number | null): void;
  error: CallError | null;
}) {
  return (
    <NumberInput
      label="Expected at least every"
      description="Minutes without an event after which sluice.source.quiet is raised. Empty: never."
      placeholder="Never"
      suffix=" min"
      min={1}
      allowDecimal={false}
      clampBehavior="none"
      value={props.value ?? ''}
      error={problemOf(props.error, 'expect_every_minutes')}
      onChange={given => props.onChange(given === '' ? null : Number(given))}
    />
  );
}
