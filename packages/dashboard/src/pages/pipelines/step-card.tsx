import { useSortable } from '@dnd-kit/sortable';
import { ActionIcon, Alert, Button, Group, Menu, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core';
import type { StepTrace } from '@sluice/contract';
import type { StepFigures } from '@sluice/contract/dashboard-figures';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { IconChevronDown, IconCopyPlus, IconGripVertical, IconTrash } from '@tabler/icons-react';
import { KindFacts } from '../../components/kind-form/kind-facts.tsx';
import { KindForm } from '../../components/kind-form/kind-form.tsx';
import type { Problems } from '../../components/kind-form/problems.ts';
import type { Config } from '../../components/kind-form/schema.ts';
import { Prose } from '../../components/prose.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { formatCapped, formatLatency, formatNumber } from '../../lib/format.ts';
import { askedOf, savedOf } from './calls-saved.ts';
import { type DraftStep, summaryOf } from './draft.ts';
import classes from './pipeline.module.css';

/** One step: what it is and is set to on one line, and below that, once opened, its form. */
export function StepCard(props: {
  step: DraftStep;
  number: number;
  kind: KindRecord | undefined;
  isOpen: boolean;
  mayChange: boolean;
  problems: Problems;
  /** What is wrong with the step as a whole. */
  problem: string | null;
  /** What it did to the event that is being tried. */
  trace: StepTrace | undefined;
  /** What became of the events that came to it lately. */
  figures: StepFigures | undefined;
  onToggle(): void;
  onChange(config: Config): void;
  onExample(config: Config): void;
  onDuplicate(): void;
  onRemove(): void;
}) {
  const { step, number, kind, isOpen, mayChange, problem, trace } = props;
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } =
    useSortable({ id: step.key, disabled: !mayChange });
  const title = kind?.title ?? step.kind;
  const summary = summaryOf(step.config);
  return (
    <li
      ref={setNodeRef}
      className={classes.step}
      aria-label={`Step ${number}: ${title}`}
      data-dragging={isDragging || undefined}
      data-wrong={problem !== null || Object.keys(props.problems).length > 0 || undefined}
      style={{
        transform: transform ? `translate3d(0, ${Math.round(transform.y)}px, 0)` : undefined,
        transition,
      }}
    >
      <Group gap={8} wrap="nowrap" className={classes.stepHead}>
        {mayChange && (
          <ActionIcon
            ref={setActivatorNodeRef}
            variant="subtle"
            color="gray"
            className={classes.handle}
            {...attributes}
            {...listeners}
            aria-label={`Move step ${number}, ${title}`}
          >
            <IconGripVertical size={17} aria-hidden />
          </ActionIcon>
        )}
        <UnstyledButton className={classes.stepTitle} aria-expanded={isOpen} onClick={props.onToggle}>
          <Text span size="sm" fw={600} className={classes.stepName}>
            {number}. {title}
          </Text>
          <Text span size="xs" c="dimmed" className={`mono ${classes.summary}`}>
            {summary}
          </Text>
          <IconChevronDown
            size={16}
            aria-hidden
            className={classes.chevron}
            data-open={isOpen || undefined}
          />
        </UnstyledButton>
        {trace && <StateBadge state={trace.outcome} />}
        {mayChange && (
          <Group gap={2} wrap="nowrap">
            <Tooltip label="Duplicate">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Duplicate step ${number}`}
                onClick={props.onDuplicate}
              >
                <IconCopyPlus size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Remove">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove step ${number}`}
                onClick={props.onRemove}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </Group>
        )}
      </Group>
      {props.figures && <StepFiguresList figures={props.figures} />}
      {isOpen && (
        <Stack gap="md" className={classes.stepBody}>
          {problem && (
            <Alert color="red" variant="light" role="alert">
              {problem}
            </Alert>
          )}
          {kind ? (
            <>
              <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
                <Prose text={kind.docs} />
                {mayChange && kind.examples.length > 0 && <Examples kind={kind} onChoose={props.onExample} />}
              </Group>
              {mayChange ? (
                <KindForm
                  schema={kind.schema}
                  value={step.config}
                  onChange={props.onChange}
                  problems={props.problems}
                />
              ) : (
                <KindFacts schema={kind.schema} value={step.config} />
              )}
            </>
          ) : (
            <Text size="sm" c="dimmed">
              This server does not know the kind {step.kind}. The step is kept as it is.
            </Text>
          )}
        </Stack>
      )}
    </li>
  );
}

function StepFiguresList({ figures }: { figures: StepFigures }) {
  const { classify } = figures;
  const shown: readonly (readonly [string, string])[] = [
    ['in', formatNumber(figures.in)],
    ['dropped', formatNumber(figures.dropped)],
    ['failed', formatCapped(figures.failed)],
    ['p95', formatLatency(figures.p95_ms)],
    ...(askedOf(classify) > 0
      ? ([
          ['model calls', formatNumber(classify.model_called)],
          ['cache hits', formatNumber(classify.cache_hit)],
          ['shared calls', formatNumber(classify.call_shared)],
          ['calls saved', savedOf(classify)],
        ] as const)
      : []),
  ];
  return (
    <dl className={classes.stepFigures}>
      {shown.map(([name, figure]) => (
        <div key={name} data-some={(name === 'failed' && figures.failed.count > 0) || undefined}>
          <dt>{name}</dt>
          <dd className="numbers">{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

function Examples({ kind, onChoose }: { kind: KindRecord; onChoose(config: Config): void }) {
  return (
    <Menu position="bottom-end" width={280}>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" style={{ flex: 'none' }}>
          Examples
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Fills in the form</Menu.Label>
        {kind.examples.map(({ title, config }) => (
          <Menu.Item key={title} onClick={() => onChoose(config)}>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
