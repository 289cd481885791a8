import { Anchor, Group, Spoiler, Stack, Text } from '@mantine/core';
import type { StepTrace } from '@sluice/contract';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import type { DryRunRecord } from '@sluice/contract/dashboard-pipelines';
import { IconArrowRight, IconBan, IconQuestionMark } from '@tabler/icons-react';
import { useState } from 'react';
import { JsonText } from '../../components/json-text.tsx';
import { ModelAnswer } from '../../components/model-answer.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { stringifyExact } from '../../lib/api/exact-json.ts';
import { formatDuration } from '../../lib/format.ts';
import { type FieldChange, fieldChanges } from './changes.ts';
import type { PipelineDraft } from './draft.ts';
import classes from './pipeline.module.css';
import { labelReadBy } from './unknown-labels.ts';

/** What became of the event: what each step did to it, where it would go, and why not elsewhere. */
export function TrialReport(props: {
  report: DryRunRecord;
  draft: PipelineDraft;
  kinds: readonly KindRecord[];
  destinations: readonly DestinationRecord[];
  /** Labels that nobody knows, since the model was not asked. */
  unknownLabels: readonly string[];
}) {
  const { report, draft, kinds, destinations, unknownLabels } = props;
  const stopped = report.step === null ? undefined : draft.steps[report.step];
  const before = draft.steps.slice(0, report.step ?? draft.steps.length);
  const dependsOnLabel = (condition: string) => labelReadBy(condition, unknownLabels, before);
  const stoppedBy = stopped && dependsOnLabel(stringifyExact(stopped.config, 0));
  const titleOf = (kind: string) => kinds.find(each => each.kind === kind)?.title ?? kind;
  return (
    <Stack gap="md">
      <Group gap="xs">
        {stoppedBy === undefined && <StateBadge state={report.outcome} />}
        <Text size="sm" role="status">
          {stoppedBy === undefined ? sentences[report.outcome] : dependsOn(stoppedBy)}
        </Text>
      </Group>
      {report.reason && report.steps.every(({ note }) => note !== report.reason) && (
        <Text size="sm" c="dimmed">
          {report.reason}
        </Text>
      )}
      <ModelAnswer answer={report.answer} />
      <Stack
        component="ol"
        gap="sm"
        m={0}
        p={0}
        style={{ listStyle: 'none' }}
        aria-label="What each step did"
      >
        {report.steps.map((trace, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
          <TriedStep key={place} trace={trace} title={`${place + 1}. ${titleOf(trace.kind)}`} />
        ))}
      </Stack>
      {report.outcome === 'routed' && (
        <Stack
          gap={6}
          component="ul"
          m={0}
          p={0}
          style={{ listStyle: 'none' }}
          aria-label="Where it would go"
        >
          {draft.destinations.map(({ id, when }) => (
            <Goal
              key={id}
              name={destinations.find(each => each.id === id)?.name ?? id}
              goes={report.destinations.includes(id)}
              unknown={dependsOnLabel(when ?? '')}
              why={report.routing.find(({ destination }) => destination === id)?.note ?? `${when} is false`}
            />
          ))}
        </Stack>
      )}
      {report.outcome === 'routed' && (
        <div>
          <Text size="xs" fw={600} c="dimmed" mb={4}>
            What would be sent
          </Text>
          <JsonText value={report.payload} maxHeight={260} />
        </div>
      )}
    </Stack>
  );
}

const sentences: Readonly<Record<DryRunRecord['outcome'], string>> = {
  routed: 'It passes all steps.',
  dropped: 'A step drops it.',
  failed: 'Would be dead-lettered.',
  retry: 'A step did not finish. It would be retried later.',
};

const dependsOn = (label: string): string => `Depends on labels.${label}: pick a label to simulate.`;

function TriedStep({ trace, title }: { trace: StepTrace; title: string }) {
  const [isWhole, setWhole] = useState(false);
  const changes = trace.before && trace.after ? fieldChanges(trace.before, trace.after) : null;
  return (
    <li className={classes.tried}>
      <Group gap="xs">
        <Text span size="sm" fw={600}>
          {title}
        </Text>
        <StateBadge state={trace.outcome} />
        <Text span size="xs" c="dimmed" className="numbers">
          {formatDuration(trace.duration_ms)}
        </Text>
        {trace.after && (
          <Anchor component="button" type="button" size="xs" onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Hide event' : 'Show event after this step'}
          </Anchor>
        )}
      </Group>
      {trace.note && (
        <Text size="xs" c="dimmed">
          {trace.note}
        </Text>
      )}
      {changes === null && trace.outcome === 'changed' && (
        <Text size="xs" c="dimmed">
          The event is too large to be shown here.
        </Text>
      )}
      {changes && changes.length > 0 && <Changes changes={changes} />}
      {isWhole && <JsonText value={trace.after} maxHeight={260} />}
    </li>
  );
}

function Changes({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <Spoiler maxHeight={180} showLabel="Show all" hideLabel="Show less" mt={4}>
      <ul className={classes.changes}>
        {changes.map(({ path, kind, before, after }) => (
          <li key={path}>
            {kind !== 'added' && (
              <div className={classes.removed}>
                − {path}: {before}
              </div>
            )}
            {kind !== 'removed' && (
              <div className={classes.added}>
                + {path}: {after}
              </div>
            )}
          </li>
        ))}
      </ul>
    </Spoiler>
  );
}

function Goal(props: { name: string; goes: boolean; why: string; unknown: string | undefined }) {
  const { name, goes, why, unknown } = props;
  const Icon = unknown !== undefined ? IconQuestionMark : goes ? IconArrowRight : IconBan;
  return (
    <li>
      <Group gap={6} wrap="nowrap" align="flex-start">
        <Icon size={16} aria-hidden style={{ flex: 'none', marginTop: 3 }} />
        <Text size="sm">
          {unknown !== undefined
            ? `${name}: ${dependsOn(unknown)}`
            : goes
              ? `It would go to ${name}.`
              : `It would not go to ${name}: ${why}.`}
        </Text>
      </Group>
    </li>
  );
}
