import { Avatar, Group, Text, UnstyledButton } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazily } from '../lib/lazily.ts';
import { useSession } from '../lib/session.tsx';
import classes from './account-menu.module.css';

/** Menus are large for what stands on every page: this one comes when it is first opened. */
const AccountChoices = lazily(() => import('./account-choices.tsx'));

/** Who and where one is, and behind it what can be done about that. */
export function AccountMenu() {
  const { user, organisation } = useSession();
  const [isWanted, setWanted] = useState(false);
  const button = (
    <UnstyledButton className={classes.button} aria-haspopup="menu" onClick={() => setWanted(true)}>
      <Group gap="sm" wrap="nowrap">
        <Avatar size={30} radius="md" color="water" name={organisation.name} />
        <div className={classes.who}>
          <Text size="sm" fw={600} truncate title={organisation.name}>
            {organisation.name}
          </Text>
          <Text size="xs" c="dimmed" truncate title={user.email}>
            {user.email}
          </Text>
        </div>
        <IconSelector size={15} aria-hidden />
      </Group>
    </UnstyledButton>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <AccountChoices button={button} />
    </Suspense>
  );
}
