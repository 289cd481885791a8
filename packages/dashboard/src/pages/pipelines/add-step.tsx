import { Button, Menu, Text } from '@mantine/core';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { IconPlus } from '@tabler/icons-react';
import { firstSentence, InlineCode } from '../../components/prose.tsx';

/** The kinds of steps there are, each with what it does. */
export function AddStep({ kinds, onAdd }: { kinds: readonly KindRecord[]; onAdd(kind: string): void }) {
  return (
    <Menu width={340} position="bottom-start" withinPortal>
      <Menu.Target>
        <Button variant="light" leftSection={<IconPlus size={16} aria-hidden />}>
          Add step
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {kinds.map(({ kind, title, docs }) => (
          <Menu.Item key={kind} onClick={() => onAdd(kind)}>
            <Text size="sm" fw={600}>
              {title}{' '}
              <Text span size="xs" c="dimmed" className="mono">
                {kind}
              </Text>
            </Text>
            <Text size="xs" c="dimmed">
              <InlineCode text={firstSentence(docs)} />
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
