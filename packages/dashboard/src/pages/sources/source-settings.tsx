import { Stack, Text } from '@mantine/core';
import type { SourceRecord } from '@sluice/contract/dashboard-sources';
import { Card } from '../../components/card.tsx';
import { SourceForm } from './source-form.tsx';
import { authLabels, describeRateLimit } from './source-labels.ts';
import { describeType } from './type-from-draft.ts';

/** What can be changed of a source; for those who may not, what it is. */
export function SourceSettings({ source, mayChange }: { source: SourceRecord; mayChange: boolean }) {
  return (
    <Card title="Settings">{mayChange ? <SourceForm source={source} /> : <Settings source={source} />}</Card>
  );
}

type Fact = readonly [title: string, fact: string];

function factsOf(source: SourceRecord): Fact[] {
  if (source.kind === 'system') return [['Event types', 'sluice.*']];
  const every = source.expect_every_minutes;
  const expected: Fact[] = every === null ? [] : [['Expected at least every', `${every} min`]];
  if (source.kind === 'sdk') return [['Event types', source.match], ...expected];
  const { title, meaning } = authLabels[source.auth];
  return [
    ['Authentication', `${title}. ${meaning}`],
    ['Rate', describeRateLimit(source.rate)],
    ...(source.type_from === undefined
      ? []
      : ([['Event type', `From ${describeType(source.type_from)}.`]] as const)),
    ...expected,
  ];
}

function Settings({ source }: { source: SourceRecord }) {
  return (
    <Stack gap="sm">
      {factsOf(source).map(([title, fact]) => (
        <div key={title}>
          <Text size="sm" fw={500}>
            {title}
          </Text>
          <Text size="sm" c="dimmed">
            {fact}
          </Text>
        </div>
      ))}
    </Stack>
  );
}
