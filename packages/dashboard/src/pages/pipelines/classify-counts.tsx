import { Group, Text } from '@mantine/core';
import type { PipelineDetails } from '@sluice/contract/dashboard-pipelines';
import { Card } from '../../components/card.tsx';

/** What its classify steps asked of models, and what they did not have to ask. */
export function ClassifyCounts({ classify }: Pick<PipelineDetails, 'classify'>) {
  const { model_called, cache_hit, call_shared } = classify;
  const asked = model_called + cache_hit + call_shared;
  if (asked === 0) return null;
  const saved = cache_hit + call_shared;
  const figures: [string, string][] = [
    ['Calls to the model', model_called.toLocaleString()],
    ['Cache hits', cache_hit.toLocaleString()],
    ['Shared calls', call_shared.toLocaleString()],
    ['Calls saved', `${saved.toLocaleString()} (${Math.round((saved / asked) * 100)}%)`],
  ];
  return (
    <Card title="Classify" lead="Identical payloads reuse one answer.">
      <Group gap="xl">
        {figures.map(([name, figure]) => (
          <div key={name}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text fw={650} className="numbers">
              {figure}
            </Text>
          </div>
        ))}
      </Group>
    </Card>
  );
}
