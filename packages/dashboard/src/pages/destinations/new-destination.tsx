import { Button, Group, SimpleGrid, Text, Title } from '@mantine/core';
import {
  type DestinationRecord,
  deliveryPolicy,
  type NewDestinationRecord,
} from '@sluice/contract/dashboard-deliveries';
import type { KindRecord } from '@sluice/contract/dashboard-kinds';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Card } from '../../components/card.tsx';
import { OneTimeSecret } from '../../components/one-time-secret.tsx';
import { Page } from '../../components/page.tsx';
import { NotFound, Waiting } from '../../components/page-states.tsx';
import { firstSentence, InlineCode, Prose } from '../../components/prose.tsx';
import { useCall, useChange } from '../../lib/api/use-call.ts';
import { copyName } from '../../lib/copy-name.ts';
import { useMay } from '../../lib/session.tsx';
import { useFilters } from '../../lib/use-filters.ts';
import { type DestinationDraft, DestinationForm, dropDestinationDrafts } from './destination-form.tsx';
import classes from './destinations.module.css';
import { KindIcon } from './kind-icon.tsx';
import { ListenCommand } from './listen-command.tsx';

/** Which kind, and then its form. The kind stands in the address, so that a form can be linked to. */
export function NewDestinationPage() {
  const mayChange = useMay()('destinations.change');
  const [{ kind: asked, clone }] = useFilters();
  const original = useCall('GET /destinations/:id', clone === undefined ? null : { id: clone });
  const { data: kinds, error, refetch } = useCall('GET /kinds/destinations');
  const [made, setMade] = useState<NewDestinationRecord | null>(null);
  if (!mayChange) return <NotFound />;
  if (!kinds) return <Waiting error={error} onRetry={() => void refetch()} />;
  if (made !== null) return <Made destination={made} />;
  if (clone !== undefined && !original.data)
    return <Waiting error={original.error} onRetry={() => void original.refetch()} />;
  const kind = kinds.find(one => one.kind === (original.data?.kind ?? asked));
  if (!kind) return <KindCards kinds={kinds} />;
  const key = `${kind.kind} ${clone ?? ''}`;
  return <KindPage key={key} kind={kind} original={original.data} onSecret={setMade} />;
}

/** The source that somebody has just made: what comes next is the pipeline between both. */
function useNext(): { readonly source?: string } {
  const [{ source }] = useFilters();
  return source === undefined ? {} : { source };
}

function KindCards({ kinds }: { kinds: readonly KindRecord[] }) {
  const next = useNext();
  return (
    <Page title="New destination" lead="Where should events go?">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
        {kinds.map(({ kind, title, docs }) => (
          <Link key={kind} to="/destinations/new" search={{ kind, ...next }} className={classes.kind}>
            <Group gap="sm" mb={6}>
              <KindIcon kind={kind} size={22} />
              <Title order={2} size="h5">
                {title}
              </Title>
            </Group>
            <Text size="sm" c="dimmed">
              <InlineCode text={firstSentence(docs)} />
            </Text>
          </Link>
        ))}
      </SimpleGrid>
    </Page>
  );
}

function KindPage(props: {
  kind: KindRecord;
  /** What it is a copy of. */
  original: DestinationRecord | undefined;
  onSecret(made: NewDestinationRecord): void;
}) {
  const { kind, original } = props;
  const change = useChange('POST /destinations');
  const navigate = useNavigate();
  const next = useNext();
  const isMade = useRef(false);
  const [initial] = useState<DestinationDraft>(() =>
    original === undefined
      ? { name: '', config: {}, policy: deliveryPolicy.parse({}) }
      : { name: copyName(original.name), config: original.config, policy: original.policy },
  );
  const make = (draft: DestinationDraft) =>
    change.mutate(
      {
        body: {
          kind: kind.kind,
          ...draft,
          ...(original === undefined ? {} : { clone_of: original.id }),
        },
      },
      {
        onSuccess: made => {
          isMade.current = true;
          dropDestinationDrafts(kind.kind, { original: original?.id });
          if (made.secret !== undefined) props.onSecret(made);
          else if (next.source === undefined) void navigate({ to: `/destinations/${made.id}` });
          else void navigate({ to: '/pipelines/new', search: { ...next, destination: made.id } });
        },
      },
    );
  return (
    <Page
      title={`New destination: ${kind.title}`}
      actions={
        <Button
          variant="default"
          renderRoot={root => <Link to="/destinations/new" search={next} {...root} />}
        >
          Change kind
        </Button>
      }
    >
      <div className={classes.columns}>
        <Card>
          <DestinationForm
            kind={kind}
            initial={initial}
            original={original?.id}
            error={change.error}
            isSaving={change.isPending}
            saveLabel="Create destination"
            onSave={make}
            isDone={() => isMade.current}
            beside={
              <Button component={Link} to="/destinations" variant="default">
                Cancel
              </Button>
            }
          />
        </Card>
        <Card title={`About ${kind.title}`}>
          <Prose text={kind.docs} />
        </Card>
      </div>
    </Page>
  );
}

/** A secret that was made here is shown this once, before anything else. */
function Made({ destination }: { destination: NewDestinationRecord }) {
  const next = useNext();
  return (
    <Page
      title={`${destination.name} created`}
      lead={
        destination.listener === null
          ? 'Give the secret to whoever verifies the signatures.'
          : 'Deliveries wait until your machine is connected.'
      }
      actions={
        <>
          <Button
            component={Link}
            to={`/destinations/${destination.id}`}
            variant={next.source === undefined ? 'filled' : 'default'}
          >
            View destination
          </Button>
          {next.source !== undefined && (
            <Button
              renderRoot={root => (
                <Link to="/pipelines/new" search={{ ...next, destination: destination.id }} {...root} />
              )}
            >
              Next: pipeline
            </Button>
          )}
        </>
      }
    >
      {destination.secret !== undefined && destination.listener !== null && (
        <ListenCommand token={destination.secret} />
      )}
      {destination.secret !== undefined && destination.listener === null && (
        <OneTimeSecret secret={destination.secret} />
      )}
    </Page>
  );
}
