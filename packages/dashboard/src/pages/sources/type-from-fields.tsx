import { Group, Select, Stack, TextInput } from '@mantine/core';
import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import { problemOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';
import type { TypeFromDraft } from './type-from-draft.ts';

const places = [
  { value: 'usual', label: 'Default' },
  { value: 'header', label: 'A header' },
  { value: 'path', label: 'A field of the body' },
];

/** What is usual, in words. */
export const usualTypeOf = (provider: ProviderRecord | undefined): string =>
  `${(provider?.type ?? 'type of the body, else webhook.in.received').replaceAll('`', '')}.`.replace(
    /^\w/,
    letter => letter.toUpperCase(),
  );

/** Where the type of a webhook's events is taken from. */
export function TypeFromFields(props: {
  value: TypeFromDraft;
  onChange(value: TypeFromDraft): void;
  error: CallError | null;
  /** See `usualTypeOf`. */
  usual: string;
}) {
  const { value, error } = props;
  const set = (changed: Partial<TypeFromDraft>) => props.onChange({ ...value, ...changed });
  const isPath = value.from === 'path';
  return (
    <Stack gap="sm">
      <Select
        label="Event type"
        description={
          value.from === 'usual' ? props.usual : 'If a request lacks it, the type in the body is used.'
        }
        data={places}
        value={value.from}
        allowDeselect={false}
        onChange={chosen => set({ from: chosen as TypeFromDraft['from'] })}
      />
      {value.from !== 'usual' && (
        <>
          <TextInput
            label={isPath ? 'Field with the type' : 'Header with the type'}
            withAsterisk
            placeholder={isPath ? 'payload.event.type' : 'x-acme-event'}
            value={value.place}
            error={problemOf(error, 'type_from')}
            onChange={event => set({ place: event.currentTarget.value })}
          />
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <TextInput
              label="Type prefix"
              placeholder="acme."
              value={value.prefix}
              onChange={event => set({ prefix: event.currentTarget.value })}
            />
            <TextInput
              label="Suffix from field"
              placeholder="payload.action"
              value={value.appended}
              onChange={event => set({ appended: event.currentTarget.value })}
            />
          </Group>
        </>
      )}
    </Stack>
  );
}
