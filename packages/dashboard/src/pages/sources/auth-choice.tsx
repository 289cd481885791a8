import { Alert, Radio, Stack } from '@mantine/core';
import type { WebhookSourceRecord } from '@sluice/contract/dashboard-sources';
import { IconAlertTriangle } from '@tabler/icons-react';
import { authLabels, openWarning } from './source-labels.ts';

type Auth = WebhookSourceRecord['auth'];
const modes: readonly Auth[] = ['hmac', 'bearer', 'none'];

/** How senders prove who they are, each way with what it means. */
export function AuthChoice(props: {
  value: Auth;
  onChange(value: Auth): void;
  /** How it is now: what is said of that stands elsewhere. */
  before?: Auth;
}) {
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Authentication"
        value={props.value}
        onChange={value => props.onChange(value as Auth)}
      >
        <Stack gap="xs" mt={6}>
          {modes.map(mode => (
            <Radio
              key={mode}
              value={mode}
              label={authLabels[mode].title}
              description={authLabels[mode].meaning}
            />
          ))}
        </Stack>
      </Radio.Group>
      {props.value === 'none' && props.before !== 'none' && <OpenWarning />}
    </Stack>
  );
}

export const OpenWarning = () => (
  <Alert
    color="orange"
    variant="light"
    icon={<IconAlertTriangle size={18} aria-hidden />}
    title="This source is unprotected"
  >
    {openWarning}
  </Alert>
);
