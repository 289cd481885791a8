import { Code, TextInput } from '@mantine/core';

/** Which events of the SDK and the API a source stands for. */
export const MatchInput = (props: {
  value: string;
  onChange(value: string): void;
  error: string | null;
  disabled?: boolean;
}) => (
  <TextInput
    label="Event types"
    withAsterisk
    description={
      <>
        An exact type such as <Code>order.paid</Code>, a pattern such as <Code>order.*</Code>, or{' '}
        <Code>*</Code> for every event. Case-sensitive.
      </>
    }
    placeholder="order.*"
    value={props.value}
    error={props.error}
    disabled={props.disabled ?? false}
    onChange={event => props.onChange(event.currentTarget.value)}
  />
);
