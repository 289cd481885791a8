import { Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';
import type { SchemeDraft } from './scheme-draft.ts';

const texts = [
  ['header', 'Header', 'The header that holds the signature, such as x-acme-signature.'],
  ['prefix', 'Prefix', 'What precedes the signature there, such as sha256=.'],
  [
    'signed',
    'What is signed',
    '{body}, {timestamp}.{body} or v0:{timestamp}:{body}, with {url} and {method} too.',
  ],
  ['timestamp_header', 'Timestamp header', 'If the timestamp has its own header.'],
  ['format', 'Format', 'If both share the header: t={timestamp},v1={signature}.'],
  ['tolerance_s', 'Tolerance', 'Seconds that a timestamp may be off. Empty: 300.'],
  ['url', 'URL as the sender knows it', 'If {url} is signed. Empty: the URL of this source as it is shown.'],
] as const;

/** How a sender that nobody has a preset for signs. */
export function SchemeFields(props: {
  value: SchemeDraft;
  onChange(value: SchemeDraft): void;
  error: CallError | null;
  /** The secret is there already, and left empty it stays. */
  isKept?: boolean;
}) {
  const { value, error, isKept = false } = props;
  const set = (changed: Partial<SchemeDraft>) => props.onChange({ ...value, ...changed });
  return (
    <Stack gap="sm">
      <Group grow>
        <Select
          label="Algorithm"
          data={['sha1', 'sha256', 'sha512']}
          value={value.algorithm}
          allowDeselect={false}
          onChange={chosen => set({ algorithm: chosen as SchemeDraft['algorithm'] })}
        />
        <Select
          label="Encoding"
          data={['hex', 'base64']}
          value={value.encoding}
          allowDeselect={false}
          onChange={chosen => set({ encoding: chosen as SchemeDraft['encoding'] })}
        />
      </Group>
      {texts.map(([name, label, hint]) => (
        <TextInput
          key={name}
          label={label}
          description={hint}
          withAsterisk={name === 'header' || name === 'signed'}
          value={value[name]}
          error={problemOf(error, `scheme.${name}`)}
          onChange={event => set({ [name]: event.currentTarget.value })}
        />
      ))}
      <PasswordInput
        label="Secret"
        description={isKept ? 'Leave empty to keep the current one.' : 'Leave empty to generate one.'}
        value={value.secret}
        error={problemOf(error, 'secret')}
        autoComplete="off"
        onChange={event => set({ secret: event.currentTarget.value })}
      />
    </Stack>
  );
}
