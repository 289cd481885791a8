import { Button, Group, Modal, Table, Text } from '@mantine/core';
import type { PipelineRecord, PipelineVersionRecord } from '@sluice/contract/dashboard-pipelines';
import { Suspense, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Loading, Waiting } from '../../components/page-states.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import { useAll, useChange } from '../../lib/api/use-call.ts';
import { lazily } from '../../lib/lazily.ts';
import { VersionNote } from './version-note.tsx';

/** What it needs to compare texts is large, and is loaded when somebody first compares. */
const VersionDiff = lazily(() => import('./version-diff.tsx'));

type Definition = Pick<PipelineVersionRecord, 'name' | 'sources' | 'steps' | 'destinations'>;

/** Every version with who made it and when; each can be compared with the current one, and be taken up again. */
export function Versions(props: {
  pipeline: PipelineRecord;
  nameOf(id: string): string;
  mayChange: boolean;
  /** Whether rolling back would lose a draft. */
  isUnsaved: boolean;
  onRolledBack(record: PipelineRecord): void;
}) {
  const { pipeline, nameOf, mayChange, isUnsaved, onRolledBack } = props;
  const versions = useAll('GET /pipelines/:id/versions', { id: pipeline.id });
  const change = useChange('POST /pipelines/:id/rollback');
  const [compared, setCompared] = useState<PipelineVersionRecord | null>(null);
  if (!versions.data) return <Waiting error={versions.error} onRetry={() => void versions.refetch()} />;
  const write = ({ name, sources, steps, destinations }: Definition) =>
    stringifyExact({
      name,
      sources: sources.map(nameOf),
      steps,
      destinations: destinations.map(({ id, when }) => ({ to: nameOf(id), ...(when ? { when } : {}) })),
    });
  return (
    <Card title="Versions" lead="Every save creates one, and every event records which one processed it.">
      <Table.ScrollContainer minWidth={560}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Saved by</Table.Th>
              <Table.Th>Time</Table.Th>
              <Table.Th>Note</Table.Th>
              <Table.Th>
                <Text span size="xs" c="dimmed">
                  Compare with the current one
                </Text>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.data.map(version => (
              <Table.Tr key={version.version}>
                <Table.Td className="numbers">{version.version}</Table.Td>
                <Table.Td>{version.created_by}</Table.Td>
                <Table.Td>
                  <RelativeTime at={version.created_at} />
                </Table.Td>
                <Table.Td>
                  <VersionNote pipelineId={pipeline.id} version={version} mayChange={mayChange} />
                </Table.Td>
                <Table.Td>
                  {version.version === pipeline.version ? (
                    <Text size="sm" c="dimmed">
                      current
                    </Text>
                  ) : (
                    <Group gap="xs" wrap="nowrap">
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={`Compare version ${version.version}`}
                        onClick={() => setCompared(version)}
                      >
                        Compare
                      </Button>
                      {mayChange && (
                        <ConfirmButton
                          label={`Roll back to ${version.version}`}
                          question={`Restores version ${version.version} as version ${pipeline.version + 1}. Events in progress keep the version that they started with.${isUnsaved ? ' Your unsaved changes will be lost.' : ''}`}
                          act="Roll back"
                          button={{ size: 'compact-sm' }}
                          onConfirm={async () =>
                            onRolledBack(
                              await change.mutateAsync({
                                id: pipeline.id,
                                body: { version: version.version },
                              }),
                            )
                          }
                        />
                      )}
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Modal
        opened={compared !== null}
        onClose={() => setCompared(null)}
        size="xl"
        title={`From version ${compared?.version ?? ''} to the current one, ${pipeline.version}`}
      >
        {compared && (
          <Suspense fallback={<Loading />}>
            <VersionDiff
              before={write(compared)}
              after={write(pipeline)}
              label={`What changed since version ${compared.version}`}
            />
          </Suspense>
        )}
      </Modal>
    </Card>
  );
}
