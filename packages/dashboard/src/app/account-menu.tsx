import { ActionIcon, Avatar, Group, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconBuilding,
  IconCheck,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSelector,
  IconSun,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/call.ts';
import classes from './account-menu.module.css';
import { useMoveTo } from './move-session.ts';
import { useSession } from './session.tsx';

const schemes = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const;

/** Who and where one is: the other organisations, the colours, the way out. */
export function AccountMenu() {
  const { user, organisation, organisations, role } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queries = useQueryClient();
  const navigate = useNavigate();

  const moveTo = useMoveTo();
  const logOut = async () => {
    await call('DELETE', '/session');
    queries.clear();
    await navigate({ to: '/login' });
  };

  return (
    <Menu position="top-start" width={248} withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button}>
          <Group gap="sm" wrap="nowrap">
            <Avatar size={30} radius="md" color="water" name={organisation.name} />
            <div className={classes.who}>
              <Text size="sm" fw={600} truncate>
                {organisation.name}
              </Text>
              <Text size="xs" c="dimmed" truncate>
                {user.email}
              </Text>
            </div>
            <IconSelector size={15} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Organisations</Menu.Label>
        {organisations.map(({ id, name, role: roleThere }) => (
          <Menu.Item
            key={id}
            leftSection={<IconBuilding size={15} aria-hidden />}
            rightSection={id === organisation.id ? <IconCheck size={15} aria-label="here" /> : null}
            onClick={() => void moveTo(id)}
          >
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {id === organisation.id ? role : roleThere}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Label>Colours</Menu.Label>
        <Group gap="xs" px="sm" pb="xs">
          {schemes.map(({ value, label, icon: Icon }) => (
            <ActionIcon
              key={value}
              variant={colorScheme === value ? 'filled' : 'default'}
              aria-label={label}
              aria-pressed={colorScheme === value}
              onClick={() => setColorScheme(value)}
            >
              <Icon size={16} aria-hidden />
            </ActionIcon>
          ))}
        </Group>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={15} aria-hidden />} onClick={() => void logOut()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
