import { Checkbox, Loader, Select, Stack, Text } from '@mantine/core';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { shortened } from '../../components/kind-form/problems.ts';
import { EventChoice } from '../../components/test-event/event-choice.tsx';
import type { TrialEvent } from '../../components/test-event/trial-event.ts';
import { CallError } from '../../lib/api/call.ts';
import { type PipelineDraft, placeOf } from './draft.ts';
import { TrialReport } from './trial-report.tsx';
import { askedLabels } from './unknown-labels.ts';
import type { Trial } from './use-trial.ts';

/** Tries the draft with a real event or a written one, again after each change. */
export function TestPanel(props: {
  draft: PipelineDraft;
  kinds: readonly KindRecord[];
  destinations: readonly DestinationRecord[];
  event: TrialEvent | null;
  onEvent(event: TrialEvent | null): void;
  classify: boolean;
  onClassify(classify: boolean): void;
  /** What models are taken to have answered, by label. */
  simulated: Readonly<Record<string, string>>;
  onSimulate(label: string, value: string): void;
  trial: Trial;
}) {
  const { draft, kinds, event, onEvent, trial } = props;
  const asking = new Set(kinds.filter(({ needs }) => needs?.includes('model')).map(({ kind }) => kind));
  const asked = askedLabels(draft.steps.filter(({ kind }) => asking.has(kind)));
  const asksModel = draft.steps.some(({ kind }) => asking.has(kind));
  const unknown = props.classify
    ? []
    : asked.flatMap(({ label }) => (props.simulated[label] === undefined ? [label] : []));
  return (
    <Card
      title="Test"
      lead="Runs an event through this draft. Nothing is sent, nothing is stored."
      actions={trial.isRunning ? <Loader size="xs" role="status" aria-label="Running" /> : null}
    >
      <Stack gap="sm">
        <EventChoice event={event} onEvent={onEvent} sources={draft.sources} />
        {asksModel && (
          <Checkbox
            label="Call the model"
            description="A real call, which may incur costs."
            checked={props.classify}
            onChange={change => props.onClassify(change.currentTarget.checked)}
          />
        )}
        {!props.classify &&
          asked.map(({ label, values }) => (
            <Select
              key={label}
              label={`Simulate labels.${label}`}
              description="The model is not called; choose the label to assume."
              placeholder="Unknown"
              maw={340}
              data={values}
              value={props.simulated[label] ?? null}
              onChange={value => value && props.onSimulate(label, value)}
            />
          ))}
        {trial.error && <ErrorNotice error={placed(trial.error)} />}
        {trial.report && (
          <TrialReport
            report={trial.report}
            draft={draft}
            kinds={kinds}
            destinations={props.destinations}
            unknownLabels={unknown}
          />
        )}
        {event === null && (
          <Text size="sm" c="dimmed">
            Choose an event to see what each step does to it.
          </Text>
        )}
      </Stack>
    </Card>
  );
}

/** A refusal of the draft, located by its place on this page rather than in the call. */
function placed(error: CallError): CallError {
  const { status, code, message, path } = error;
  if (path === null) return error;
  const step = placeOf('steps', path);
  const destination = placeOf('destinations', path);
  const where =
    step !== null ? `Step ${step + 1}: ` : destination !== null ? `Destination ${destination + 1}: ` : '';
  return new CallError(status, code, `${where}${shortened(message, path)}`, where === '' ? path : null);
}
