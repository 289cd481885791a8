import { TextInput } from '@mantine/core';

export default function ConditionInput(props: {
  label: string;
  description: string | undefined;
  withAsterisk: boolean;
  error: string | null;
  disabled: boolean;
  value: string;
  placeholder: string;
  onChange(value: string): void;
}) {
  return <TextInput {...props} onChange={event => props.onChange(event.currentTarget.value)} />;
}
