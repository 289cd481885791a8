import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ConfigurationItem } from '@sluice/contract/dashboard-configuration';
import { Disclosure } from '../../components/disclosure.tsx';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import classes from './settings.module.css';

const looks: Readonly<Record<ConfigurationItem['change'], { label: string; color: string }>> = {
  created: { label: 'created', color: 'green' },
  changed: { label: 'changed', color: 'blue' },
  removed: { label: 'removed', color: 'red' },
  unchanged: { label: 'unchanged', color: 'gray' },
  absent: { label: 'not in the file', color: 'gray' },
};

/** What becomes of each source, destination and pipeline; what stays as it is folded away. */
export function ConfigurationItems({ items }: { items: readonly ConfigurationItem[] }) {
  const stays = (item: ConfigurationItem) => item.change === 'unchanged' || item.change === 'absent';
  const same = items.filter(stays);
  return (
    <Stack gap="sm">
      {items
        .filter(item => !stays(item))
        .map(item => (
          <Item key={`${item.sort} ${item.key}`} item={item} />
        ))}
      {same.length > 0 && (
        <Disclosure summary={`${same.length} not affected`}>
          <Stack gap={6}>
            {same.map(item => (
              <Item key={`${item.sort} ${item.key}`} item={item} />
            ))}
          </Stack>
        </Disclosure>
      )}
    </Stack>
  );
}

function Item({ item }: { item: ConfigurationItem }) {
  const { label, color } = looks[item.change];
  return (
    <div>
      <Group gap={8} wrap="nowrap" align="baseline">
        <Badge color={color} tt="none" fw={600} miw={84} style={{ flexShrink: 0 }}>
          {label}
        </Badge>
        <Text size="sm" className={classes.email}>
          <Text span c="dimmed" size="sm">
            {item.sort}{' '}
          </Text>
          {item.key}
        </Text>
      </Group>
      {item.fields.length > 0 && (
        <dl className={classes.fields}>
          {item.fields.map(({ path, before, after }) => (
            <div key={path}>
              <dt className="mono">{path}</dt>
              <dd>
                {before !== null && <del className={classes.before}>{shown(before)}</del>}
                {after !== null && <ins className={classes.after}>{shown(after)}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

const isSecret = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).join() === 'set';

function shown(value: unknown): string {
  if (isSecret(value)) return '!secret';
  return typeof value === 'string' ? value : stringifyExact(value, 2);
}
