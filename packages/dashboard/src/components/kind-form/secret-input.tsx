import { Anchor, PasswordInput, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

const isSet = (value: unknown): boolean => typeof value === 'object' && value !== null && 'set' in value;

/**
 * A secret that is set is never shown. It stays as it is until another one is typed over it, and what is typed and
 * taken away again leaves it as it was; to have none, it is removed.
 */
export function SecretInput({
  value,
  onChange,
  placeholder,
  ...common
}: {
  readonly label: string;
  readonly description: ReactNode;
  readonly withAsterisk: boolean;
  readonly error: string | null;
  readonly placeholder: string;
  readonly value: unknown;
  onChange(value: unknown): void;
}) {
  const [kept] = useState(() => (isSet(value) ? value : undefined));
  const isRemoved = kept !== undefined && value === undefined;
  const mayBeRemoved = kept !== undefined && !common.withAsterisk;
  return (
    <div>
      <PasswordInput
        {...common}
        autoComplete="new-password"
        value={typeof value === 'string' ? value : ''}
        placeholder={isSet(value) ? 'Set. Type to replace it' : placeholder}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? kept : currentTarget.value)}
      />
      {mayBeRemoved && (
        <Text size="xs" c="dimmed" mt={4}>
          {isRemoved ? 'Will be removed when you save. ' : ''}
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => onChange(isRemoved ? kept : undefined)}
          >
            {isRemoved ? 'Keep it' : 'Remove it'}
          </Anchor>
        </Text>
      )}
    </div>
  );
}
