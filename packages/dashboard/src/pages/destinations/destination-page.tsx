import { Badge, Button, Group, Text } from '@mantine/core';
import type { DestinationRecord, DestinationTestRecord } from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { CloneButton } from '../../components/clone.tsx';
import { ConfirmButton } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { changesOf } from '../../components/form-baseline/changes.ts';
import { StaleNotice } from '../../components/form-baseline/stale-notice.tsx';
import { useFormBaseline } from '../../components/form-baseline/use-form-baseline.ts';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import { Prose } from '../../components/prose.tsx';
import { RotateDialog } from '../../components/rotate-dialog.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { UsedBy } from '../../components/used-by.tsx';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { useDelete } from '../../lib/use-delete.ts';
import { usePathId } from '../../lib/use-path-id.ts';
import { DestinationFacts } from './destination-facts.tsx';
import { type DestinationDraft, DestinationForm } from './destination-form.tsx';
import { DestinationNotices } from './destination-notices.tsx';
import classes from './destinations.module.css';
import { ListenCommand } from './listen-command.tsx';
import { NewDestinationPage } from './new-destination.tsx';
import { queuedCount } from './queued-count.ts';
import { RecentDeliveries } from './recent-deliveries.tsx';
import { describeRetries } from './retry-policy-text.ts';
import { SendTest, type TestBody } from './send-test.tsx';
import { SuccessCard } from './success-card.tsx';
import { TestResult } from './test-result.tsx';

/** One destination: how it goes there, what it was sent, and its configuration. `/destinations/new` makes one. */
export default function DestinationPage() {
  const id = usePathId();
  return id === 'new' ? <NewDestinationPage /> : <ExistingDestination key={id} id={id} />;
}

function ExistingDestination({ id }: { id: string }) {
  const { data: destination, error, refetch } = useCall('GET /destinations/:id', { id }, { live: true });
  const kinds = useCall('GET /kinds/destinations');
  const mayChange = useMay()('destinations.change');
  const [secret, setSecret] = useState<string | null>(null);
  /** What came of a test that went out in place of a delivery. */
  const [probed, setProbed] = useState<DestinationTestRecord | null>(null);
  const test = useChange('POST /destinations/:id/test');
  const send = (body: TestBody) => {
    setProbed(null);
    return test.mutateAsync({ id, body });
  };
  const pause = useChange(
    destination?.paused ? 'POST /destinations/:id/resume' : 'POST /destinations/:id/pause',
  );
  if (!destination || !kinds.data) {
    return <Waiting error={error ?? kinds.error} onRetry={() => void refetch()} />;
  }

  const { rotation } = destination;
  const kind = kinds.data.find(one => one.kind === destination.kind);
  return (
    <Page
      title={destination.name}
      badge={
        <Group gap={6}>
          <StateBadge state={destination.state} />
          <Badge color="gray" tt="none" fw={600}>
            {kind?.title ?? destination.kind}
          </Badge>
        </Group>
      }
      lead={`On failure: ${describeRetries(destination.policy)}, then dead-lettered.`}
      actions={
        mayChange && (
          <>
            <SendTest id={id} kind={destination.kind} isSending={test.isPending} onSend={send} />
            <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate({ id })}>
              {destination.paused ? 'Resume' : 'Pause'}
            </Button>
            <CloneButton to="/destinations/new" id={id} />
            <DeleteDestination destination={destination} />
          </>
        )
      }
    >
      <DestinationNotices destination={destination} onTest={setProbed} />
      {secret !== null && destination.listener !== null && <ListenCommand token={secret} />}
      {secret !== null && destination.listener === null && <OneTimeSecret secret={secret} />}
      {test.error && <ErrorNotice error={test.error} />}
      {pause.error && <ErrorNotice error={pause.error} />}
      {test.data && <TestResult result={test.data} />}
      {probed && <TestResult result={probed} />}
      <div className={classes.columns}>
        <div className={classes.stack}>
          <SuccessCard id={id} />
          <RecentDeliveries id={id} showsBodies={destination.kind === 'inbox'} />
          {kind && mayChange && <Configuration kind={kind} destination={destination} onSecret={setSecret} />}
          {kind && !mayChange && <DestinationFacts kind={kind} destination={destination} />}
        </div>
        <div className={classes.stack}>
          <UsedBy
            id={id}
            as="destination"
            none="No pipeline sends to it yet. Add it to one to receive events."
          />
          {rotation !== null && (mayChange || rotation.previous_secret_until !== null) && (
            <Card
              title={destination.listener === null ? 'Signing secret' : 'Token'}
              lead={
                destination.listener === null
                  ? 'Deliveries are signed with it.'
                  : 'It authenticates the connection, and signs where no signing secret is set.'
              }
            >
              <RotateDialog
                route="POST /destinations/:id/rotate"
                id={id}
                permission="destinations.change"
                both={
                  destination.listener === null
                    ? 'While both are valid, deliveries carry a signature of each.'
                    : 'While both are valid, either opens the connection.'
                }
                previousUntil={rotation.previous_secret_until}
                onRotated={setSecret}
              />
            </Card>
          )}
          {kind && (
            <Card title={`About ${kind.title}`}>
              <Prose text={kind.docs} />
            </Card>
          )}
        </div>
      </div>
    </Page>
  );
}

const partsOf = ({ name, config, policy }: DestinationRecord): DestinationDraft => ({ name, config, policy });

function Configuration(props: {
  kind: KindRecord;
  destination: DestinationRecord;
  onSecret(secret: string | null): void;
}) {
  const { id } = props.destination;
  const now = partsOf(props.destination);
  const form = useFormBaseline(now);
  const change = useChange('PATCH /destinations/:id');
  const save = (draft: DestinationDraft) => {
    const takeIn = form.save();
    change.mutate(
      { id, body: changesOf(form.begun, draft, now) },
      {
        onSuccess: record => {
          takeIn(partsOf(record));
          props.onSecret(record.secret ?? null);
        },
      },
    );
  };
  return (
    <Card title="Configuration" lead={waitingNote(props.destination)}>
      <DestinationForm
        key={form.edition}
        id={id}
        kind={props.kind}
        initial={form.begun}
        error={change.error}
        isSaving={change.isPending}
        saveLabel="Save"
        onTouch={form.touch}
        isFirst={form.edition === 0}
        notice={form.isOvertaken && !change.isPending && <StaleNotice onLoad={() => form.begin(now)} />}
        onSave={save}
      />
    </Card>
  );
}

/** What a change of the policy means for what waits. */
function waitingNote({ breaker }: DestinationRecord): string | undefined {
  if (!breaker.waiting) return undefined;
  const [wait, keep] = breaker.waiting === 1 ? ['waits', 'It keeps'] : ['wait', 'They keep'];
  return `${queuedCount(breaker.waiting)} ${wait} for it. ${keep} the longer schedule if you change the policy.`;
}

function DeleteDestination({ destination }: { destination: DestinationRecord }) {
  const remove = useDelete('DELETE /destinations/:id');
  return (
    <ConfirmButton
      label="Delete"
      act="Delete"
      question={
        <>
          <Text size="sm" mb="xs">
            “{destination.name}” is removed from its pipelines, each in a new version, and its queued
            deliveries are cancelled.
          </Text>
          <Text size="sm">Delivery records stay. Its configuration and secrets are deleted.</Text>
        </>
      }
      onConfirm={() => remove({ id: destination.id }, { name: destination.name, to: '/destinations' })}
    />
  );
}
