import { Checkbox, Group, Loader, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core';
import type { DestinationRecord } from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { shortened } from '../../components/kind-form/problems.ts';
import { formatRelative } from '../../components/relative-time.tsx';
import { CallError } from '../../lib/api/call.ts';
import { useCall } from '../../lib/api/use-call.ts';
import { askedLabels, type PipelineDraft, placeOf } from './draft.ts';
import { TrialReport } from './trial-report.tsx';
import type { Trial, TrialEvent } from './use-trial.ts';

const RECENT = 30;
const SAMPLE = '{\n  "type": "order.created",\n  "payload": { "id": 1, "total": 120 }\n}';

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
        <SegmentedControl
          size="xs"
          w="fit-content"
          aria-label="Which event"
          value={event?.kind ?? 'recent'}
          onChange={kind => onEvent(kind === 'pasted' ? { kind: 'pasted', text: SAMPLE } : null)}
          data={[
            { value: 'recent', label: 'A recent event' },
            { value: 'pasted', label: 'Custom event' },
          ]}
        />
        {event?.kind === 'pasted' ? (
          <Textarea
            label="Event"
            description="As it would be sent to /v1/ingest: type and payload."
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
            value={event.text}
            onChange={change => onEvent({ kind: 'pasted', text: change.currentTarget.value })}
          />
        ) : (
          <RecentEvents
            sources={draft.sources}
            chosen={event?.id ?? null}
            onChoose={id => onEvent(id === null ? null : { kind: 'recent', id })}
          />
        )}
        {asksModel && (
          <Checkbox
            label="Call the model"
            description="This is a real call and may cost something."
            checked={props.classify}
            onChange={change => props.onClassify(change.currentTarget.checked)}
          />
        )}
        {!props.classify &&
          asked.map(({ label, values }) => (
            <Select
              key={label}
              label={`Simulate labels.${label}`}
              description="The model is not asked; pick what it would answer."
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
            Choose an event, and each step shows here what it does to it.
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

/** The newest events, of the one source that is listened to, or of all. */
function RecentEvents(props: {
  sources: readonly string[];
  chosen: string | null;
  onChoose(id: string | null): void;
}) {
  const [source] = props.sources;
  const { data: events = [], isPending } = useCall('GET /events', {
    limit: RECENT,
    source: props.sources.length === 1 ? source : undefined,
  });
  const now = Date.now();
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label="Recent event"
        flex={1}
        searchable
        clearable
        placeholder={events.length === 0 && !isPending ? 'No events yet: write one' : 'Choose an event'}
        nothingFoundMessage="No such event among the recent ones"
        value={props.chosen}
        data={events.map(({ id, type, received_at, sources }) => ({
          value: id,
          label: `${type} · ${sources[0]?.name ?? 'no source'} · ${formatRelative(Date.parse(received_at), now)} · ${id.slice(-6)}`,
        }))}
        onChange={props.onChoose}
      />
    </Group>
  );
}
