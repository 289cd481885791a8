import { type MantineColorScheme, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { IconBuilding, IconCheck, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { notifyError } from '../lib/notify-error.ts';
import { useSession } from '../lib/session.tsx';
import { useSwitchOrganisation } from '../lib/use-switch-organisation.ts';
import { useLogOut } from './use-log-out.ts';

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
] as const;

/** The other organisations, the theme, one's account, the way out: shown at once, and then whenever the button is pressed. */
export default function AccountChoices({ button }: { button: ReactElement }) {
  const { organisation, organisations, role } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();

  const moveTo = useSwitchOrganisation();
  const logOut = useLogOut();

  return (
    <Menu position="top-start" width={248} withinPortal defaultOpened>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Organisations</Menu.Label>
        {organisations.map(({ id, name, slug, role: roleThere }) => (
          <Menu.Item
            key={id}
            leftSection={<IconBuilding size={15} aria-hidden />}
            rightSection={id === organisation.id ? <IconCheck size={15} aria-label="current" /> : null}
            onClick={() => void moveTo({ id, slug }).catch(notifyError)}
          >
            {name}{' '}
            <Text span size="xs" c="dimmed">
              {id === organisation.id ? role : roleThere}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={value => setColorScheme(value as MantineColorScheme)}>
          {schemes.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={15} aria-hidden />}>
          Account
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={15} aria-hidden />}
          onClick={() => void logOut().catch(notifyError)}
        >
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
