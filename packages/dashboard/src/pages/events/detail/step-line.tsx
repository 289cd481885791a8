import { Text } from '@mantine/core';
import type { StepTrace } from '@sluice/contract';
import type { RunRecord } from '@sluice/contract/dashboard-pipelines';
import { Disclosure } from '../../../components/disclosure.tsx';
import { JsonText } from '../../../components/json-text.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { stringifyExact } from '../../../lib/api/exact-json.ts';
import { formatDuration } from '../../../lib/format.ts';
import { useStepTitles } from '../../../lib/use-step-titles.ts';
import classes from './event.module.css';
import { TextDiff } from './text-diff.tsx';

/** What each step of a run did. */
export function StepLines(props: {
  run: Pick<RunRecord, 'pipeline' | 'step' | 'steps' | 'cut_at'>;
  showsChanges: boolean;
}) {
  const { run, showsChanges } = props;
  const titleOf = useStepTitles();
  return (
    <ol className={classes.lines} aria-label={`Steps of ${run.pipeline.name}`}>
      {run.steps.map((step, place) => (
        <StepLine
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
          key={place}
          step={step}
          title={titleOf(step.kind)}
          place={place}
          isEnd={run.step === place}
          isCut={run.cut_at !== null && place >= run.cut_at}
          startsOpen={run.step === place || (showsChanges && step.outcome === 'changed')}
        />
      ))}
    </ol>
  );
}

/** What one step did: its outcome and its note on a line, and inside it the event before and after. */
function StepLine(props: {
  step: StepTrace;
  /** As the editor calls it. */
  title: string;
  place: number;
  /** The event got no further. */
  isEnd: boolean;
  isCut: boolean;
  startsOpen: boolean;
}) {
  const { step, title, place, isEnd, isCut, startsOpen } = props;
  return (
    <li>
      <Disclosure
        startsOpen={startsOpen}
        summary={
          <>
            <Text span size="sm" fw={600}>
              {place + 1}. {title}
            </Text>
            <StateBadge state={step.outcome} />
            {step.note && (
              <Text span size="sm" className={isEnd && step.outcome === 'failed' ? classes.bad : undefined}>
                {step.note}
              </Text>
            )}
            <Text span size="xs" c="dimmed" className={`numbers ${classes.right}`}>
              {formatDuration(step.duration_ms)}
            </Text>
          </>
        }
      >
        <Inside step={step} place={place} isCut={isCut} />
      </Disclosure>
    </li>
  );
}

function Inside({ step, place, isCut }: { step: StepTrace; place: number; isCut: boolean }) {
  const { before, after } = step;
  if (before === null || after === null) {
    return (
      <Text size="sm" c="dimmed">
        {isCut
          ? 'The trace of this run was truncated here, since it was too large. The payload is below.'
          : 'The event at this step was not kept.'}
      </Text>
    );
  }
  if (step.outcome === 'changed') {
    const [was, is] = textsOf(before, after);
    return <TextDiff before={was} after={is} label={`What step ${place + 1} changed`} />;
  }
  return (
    <>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        The event as this step saw it
      </Text>
      <JsonText value={hasLabels(before) ? before : before.payload} maxHeight={320} />
    </>
  );
}

type State = NonNullable<StepTrace['before']>;

const hasLabels = ({ labels }: State): boolean => Object.keys((labels ?? {}) as object).length > 0;

/** Labels stand beside the payload where there are any. */
function textsOf(before: State, after: State): [string, string] {
  const both = hasLabels(before) || hasLabels(after);
  const text = (state: State) => stringifyExact(both ? state : state.payload);
  return [text(before), text(after)];
}
