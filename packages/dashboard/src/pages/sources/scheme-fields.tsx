import { Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import type { SourceScheme } from '@sluice/contract/dashboard-providers';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';

/** A scheme of one's own as it stands in the form; empty is left out. */
interface SchemeDraft {
  readonly header: string;
  readonly algorithm: SourceScheme['algorithm'];
  readonly encoding: SourceScheme['encoding'];
  readonly prefix: string;
  readonly signed: string;
  readonly timestamp_header: string;
  readonly format: string;
  readonly secret: string;
}

export const usualScheme: SchemeDraft = {
  header: '',
  algorithm: 'sha256',
  encoding: 'hex',
  prefix: '',
  signed: '{body}',
  timestamp_header: '',
  format: '',
  secret: '',
};

/** As the server takes it. */
export function givenScheme({ secret, ...draft }: SchemeDraft) {
  const { header, algorithm, encoding, signed, ...others } = draft;
  const filled = Object.entries(others).filter(([, value]) => value !== '');
  return {
    scheme: { header, algorithm, encoding, signed, ...Object.fromEntries(filled) },
    ...(secret.trim() === '' ? {} : { secret }),
  };
}

const texts = [
  ['header', 'Header', 'Where the signature stands, such as x-acme-signature.'],
  ['prefix', 'Prefix', 'What stands before the signature there, such as sha256=.'],
  [
    'signed',
    'What is signed',
    '{body}, {timestamp}.{body} or v0:{timestamp}:{body}, with {url} and {method} too.',
  ],
  ['timestamp_header', 'Header of the timestamp', 'Where it has one of its own.'],
  ['format', 'Format', 'Where both share the header: t={timestamp},v1={signature}.'],
] as const;

/** How a sender that nobody has a preset for signs. */
export function SchemeFields(props: {
  value: SchemeDraft;
  onChange(value: SchemeDraft): void;
  error: CallError | null;
}) {
  const { value, error } = props;
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
        description="Leave it empty and one is made."
        value={value.secret}
        error={problemOf(error, 'secret')}
        autoComplete="off"
        onChange={event => set({ secret: event.currentTarget.value })}
      />
    </Stack>
  );
}
