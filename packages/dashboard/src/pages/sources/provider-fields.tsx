import { List, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import { problemOf } from '../../components/kind-form/problems.ts';
import { InlineCode } from '../../components/prose.tsx';
import type { CallError } from '../../lib/api/call.ts';
import type { PastedKeys } from './provider-keys.ts';

const waysToVerify = [
  { value: 'bearer', label: 'A bearer token' },
  { value: 'hmac', label: 'An HMAC in X-Ingest-Signature' },
  { value: 'none', label: 'Nothing' },
];

const KEPT = 'Leave empty to keep the current one.';

/** The fields that a provider asks for, each with where its value is found. */
export function ProviderFields(props: {
  provider: ProviderRecord;
  value: PastedKeys;
  onChange(value: PastedKeys): void;
  error: CallError | null;
  /** What is secret is there already, and left empty it stays. */
  isKept?: boolean;
}) {
  const { value, error, isKept = false } = props;
  const { secret, public_key, verify_token, url, verify_with } = props.provider.fields;
  const set = (changed: Partial<PastedKeys>) => props.onChange({ ...value, ...changed });
  return (
    <Stack gap="sm">
      {verify_with && (
        <Select
          label={verify_with.label}
          description={verify_with.hint}
          data={waysToVerify}
          value={value.verify_with}
          allowDeselect={false}
          onChange={chosen => set({ verify_with: chosen as PastedKeys['verify_with'] })}
        />
      )}
      {secret && (
        <PasswordInput
          label={secret.label}
          description={isKept ? KEPT : secret.hint}
          withAsterisk={!secret.is_chosen && !isKept}
          value={value.secret}
          error={problemOf(error, 'secret')}
          autoComplete="off"
          onChange={event => set({ secret: event.currentTarget.value })}
        />
      )}
      {public_key && (
        <TextInput
          label={public_key.label}
          description={public_key.hint}
          withAsterisk
          value={value.public_key}
          error={problemOf(error, 'public_key')}
          onChange={event => set({ public_key: event.currentTarget.value })}
        />
      )}
      {verify_token && (
        <TextInput
          label={verify_token.label}
          description={isKept ? KEPT : verify_token.hint}
          value={value.verify_token}
          error={problemOf(error, 'verify_token')}
          autoComplete="off"
          onChange={event => set({ verify_token: event.currentTarget.value })}
        />
      )}
      {url && (
        <TextInput
          label={url.label}
          description={url.hint}
          value={value.url}
          error={problemOf(error, 'url')}
          onChange={event => set({ url: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

/** Where to paste what, in order. */
export function ProviderSteps({ provider }: { provider: ProviderRecord }) {
  return (
    <Stack gap="xs">
      <List type="ordered" size="sm" spacing={4}>
        {provider.steps.map(step => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      {provider.note && (
        <Text size="sm" c="dimmed">
          <InlineCode text={provider.note} />
        </Text>
      )}
      <Text size="xs" c="dimmed">
        At the provider, look for “{provider.documentation}”.
      </Text>
    </Stack>
  );
}
