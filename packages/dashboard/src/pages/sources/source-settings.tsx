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

function Settings({ source }: { source: SourceRecord }) {
  const facts: readonly (readonly [string, string])[] =
    source.kind === 'sdk'
      ? [['Event types', source.match]]
      : [
          ['Authentication', `${authLabels[source.auth].title}. ${authLabels[source.auth].meaning}`],
          ['Rate', describeRateLimit(source.rate)],
          ...(source.type_from === undefined
            ? []
            : ([['Type of its events', `From ${describeType(source.type_from)}.`]] as const)),
        ];
  return (
    <Stack gap="sm">
      {facts.map(([title, fact]) => (
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
