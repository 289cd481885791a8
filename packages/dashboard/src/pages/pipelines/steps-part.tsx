import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  MeasuringStrategy,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { Text } from '@mantine/core';
import type { PipelineFigures } from '@sluice/contract/dashboard-figures';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import type { DryRunRecord } from '@sluice/contract/dashboard-pipelines';
import { useRef, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { type KnownField, KnownFieldsProvider } from '../../components/condition/known-fields.ts';
import { problemOf, problemsOf } from '../../components/kind-form/problems.ts';
import type { CallError } from '../../lib/api/call.ts';
import { AddStep } from './add-step.tsx';
import { addStep, type DraftStep, duplicateStep, moveStep, placeOf } from './draft.ts';
import classes from './pipeline.module.css';
import { StepCard } from './step-card.tsx';

/** The ordered steps. They are dragged by pointer or by keys, and screen readers announce where they went. */
export function StepsPart(props: {
  steps: readonly DraftStep[];
  kinds: readonly KindRecord[];
  open: ReadonlySet<string>;
  mayChange: boolean;
  error: CallError | null;
  report: DryRunRecord | null;
  /** Of each step as it is saved; absent while the steps are others. */
  figures: PipelineFigures['steps'] | undefined;
  fieldsAt(place: number): readonly KnownField[];
  onToggle(key: string, isOpen: boolean): void;
  onChange(steps: readonly DraftStep[]): void;
}) {
  const { steps, kinds, open, mayChange, error, report, onToggle, onChange } = props;
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const isMoved = useRef(false);
  // While one is dragged all are closed: past a form as tall as the page nothing could be moved.
  const [isDragging, setDragging] = useState(false);
  const kindOf = (step: DraftStep) => kinds.find(({ kind }) => kind === step.kind);

  const nameOf = (id: UniqueIdentifier) => {
    const step = steps.find(({ key }) => key === id);
    return step === undefined ? 'the step' : (kindOf(step)?.title ?? step.kind);
  };
  const placeOf = (id: UniqueIdentifier) =>
    `place ${steps.findIndex(({ key }) => key === id) + 1} of ${steps.length}`;

  const add = (kind: string) => {
    const added = addStep(steps, kind);
    onChange(added);
    onToggle(added.at(-1)?.key ?? '', true);
  };
  const replace = (key: string, changed: Partial<DraftStep>) =>
    onChange(steps.map(step => (step.key === key ? { ...step, ...changed } : step)));

  return (
    <Card title="Steps" lead="Each event passes through them in this order.">
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        measuring={{ droppable: { strategy: MeasuringStrategy.Always } }}
        onDragStart={() => setDragging(true)}
        onDragCancel={() => setDragging(false)}
        onDragEnd={({ active, over }: DragEndEvent) => {
          setDragging(false);
          if (over && active.id !== over.id) onChange(moveStep(steps, String(active.id), String(over.id)));
        }}
        accessibility={{
          screenReaderInstructions: {
            draggable:
              'Press space or Enter to pick the step up, the arrow keys to move it, space or Enter to put it down, and Escape to leave it where it was.',
          },
          announcements: {
            onDragStart({ active }) {
              isMoved.current = false;
              return `${nameOf(active.id)} is picked up from ${placeOf(active.id)}.`;
            },
            onDragOver({ active, over }) {
              // At once it is over its own place, which is no news.
              isMoved.current ||= over?.id !== active.id;
              return over && isMoved.current
                ? `${nameOf(active.id)} is over ${placeOf(over.id)}.`
                : undefined;
            },
            onDragEnd: ({ active, over }) =>
              over ? `${nameOf(active.id)} is put down at ${placeOf(over.id)}.` : undefined,
            onDragCancel: ({ active }) => `${nameOf(active.id)} is back where it was.`,
          },
        }}
      >
        <SortableContext items={steps.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
          <ol className={classes.steps}>
            {steps.map((step, place) => (
              <KnownFieldsProvider key={step.key} value={props.fieldsAt(place)}>
                <StepCard
                  step={step}
                  number={place + 1}
                  kind={kindOf(step)}
                  isOpen={open.has(step.key) && !isDragging}
                  mayChange={mayChange}
                  problems={problemsOf(error, `steps[${place}].config`)}
                  problem={problemOfWhole(error, place)}
                  trace={report?.steps[place]}
                  figures={props.figures?.[place]}
                  onToggle={() => onToggle(step.key, !open.has(step.key))}
                  onChange={config => replace(step.key, { config })}
                  onExample={config => {
                    // A fresh key, so that the form starts again with what it is given.
                    const key = addStep(steps, step.kind).at(-1)?.key ?? step.key;
                    replace(step.key, { key, config });
                    onToggle(key, true);
                  }}
                  onDuplicate={() => onChange(duplicateStep(steps, step.key, kindOf(step)?.secrets ?? []))}
                  onRemove={() => onChange(steps.filter(({ key }) => key !== step.key))}
                />
              </KnownFieldsProvider>
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      {steps.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          No steps: events pass through unchanged.
        </Text>
      )}
      {mayChange && <AddStep kinds={kinds} onAdd={add} />}
    </Card>
  );
}

/** What is wrong with a step, but with none of its fields. */
function problemOfWhole(error: CallError | null, place: number): string | null {
  if (placeOf('steps', error?.path ?? null) !== place || error === null) return null;
  if (error.path?.startsWith(`steps[${place}].config.`)) return null;
  return problemOf(error, `steps[${place}]`);
}
