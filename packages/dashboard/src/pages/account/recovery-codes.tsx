import { Alert, Button, Group, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { CopyIcon } from '../../components/copy.tsx';
import classes from './account.module.css';

/** Recovery codes, which the server answers this once. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone(): void }) {
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconKey size={18} aria-hidden />}
      title="Save your recovery codes"
    >
      <Text size="sm" mb="xs">
        Each logs you in once when you do not have your app. You won't be able to see them again.
      </Text>
      <ul className={`mono ${classes.codes}`} aria-label="Recovery codes">
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap="xs" mt="sm">
        <Button size="compact-sm" variant="default" onClick={onDone}>
          I have saved them
        </Button>
        <CopyIcon text={codes.join('\n')} label="Copy recovery codes" />
      </Group>
    </Alert>
  );
}
