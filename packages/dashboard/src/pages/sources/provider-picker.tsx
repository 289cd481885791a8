import { Stack, Text, TextInput } from '@mantine/core';
import type { ProviderRecord } from '@sluice/contract/dashboard-providers';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { ProviderIcon } from './provider-icon.tsx';
import classes from './provider-picker.module.css';

/** The providers by name and icon, found by whatever else they are known as. */
export function ProviderPicker(props: {
  providers: readonly ProviderRecord[];
  onPick(provider: ProviderRecord): void;
  onOwnScheme(): void;
}) {
  const [wanted, setWanted] = useState('');
  const shown = props.providers.filter(provider => isLike(provider, wanted));
  return (
    <Stack gap="sm">
      <TextInput
        label="Provider"
        placeholder="GitHub, Stripe, Slack …"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={wanted}
        onChange={event => setWanted(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter') return;
          // The form around it has nothing to send yet.
          event.preventDefault();
          const [only, ...others] = shown;
          if (only !== undefined && others.length === 0) props.onPick(only);
        }}
      />
      <div className={classes.grid}>
        {shown.map(provider => (
          <button
            key={provider.name}
            type="button"
            className={classes.provider}
            onClick={() => props.onPick(provider)}
          >
            <ProviderIcon name={provider.name} size={22} />
            <Text span size="sm" fw={500}>
              {provider.title}
            </Text>
          </button>
        ))}
        <button type="button" className={classes.provider} onClick={props.onOwnScheme}>
          <ProviderIcon name="custom" size={22} />
          <Text span size="sm" fw={500}>
            Custom scheme
          </Text>
        </button>
      </div>
      {shown.length === 0 && (
        <Text size="sm" c="dimmed">
          No provider matches. A webhook source accepts whatever any sender posts; many sign according to
          Standard Webhooks.
        </Text>
      )}
    </Stack>
  );
}

const isLike = ({ name, title, also }: ProviderRecord, wanted: string): boolean =>
  [name, title, ...also].some(text => text.toLowerCase().includes(wanted.trim().toLowerCase()));
