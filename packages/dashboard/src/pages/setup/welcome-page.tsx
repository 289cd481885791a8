import { Button, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Card } from '../../components/card.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Page } from '../../components/page.tsx';
import { Waiting } from '../../components/page-states.tsx';
import type { CallError } from '../../lib/api/call.ts';
import { readAllAgain } from '../../lib/api/read-all-again.ts';
import { useAll } from '../../lib/api/use-call.ts';
import { useMay } from '../../lib/session.tsx';
import { FirstEvent } from './first-event.tsx';
import { type FirstFlow, findFirstFlow, makeFirstFlow } from './first-flow.ts';
import { SendSample } from './send-sample.tsx';

/** From nothing to a first delivered event: make the parts, send, watch it arrive. */
export default function WelcomePage() {
  const sources = useAll('GET /sources');
  const destinations = useAll('GET /destinations');
  const pipelines = useAll('GET /pipelines');
  const [secret, setSecret] = useState<string | null>(null);
  const queries = useQueryClient();
  const may = useMay();
  const make = useMutation<void, CallError, FirstFlow>({
    mutationFn: found => makeFirstFlow(found, setSecret),
    // Half of it may have been made before something failed.
    onSettled: () => readAllAgain(queries),
  });

  if (!sources.data || !destinations.data || !pipelines.data) {
    const failed = [sources, destinations, pipelines].find(({ error }) => error !== null);
    return <Waiting error={failed?.error ?? null} onRetry={() => void failed?.refetch()} />;
  }
  const flow = findFirstFlow({
    sources: sources.data,
    destinations: destinations.data,
    pipelines: pipelines.data,
  });
  const { source, pipeline } = flow;
  const mayMake = ['sources.change', 'destinations.change', 'pipelines.change'].every(may);

  return (
    <Page title="Welcome to Sluice" lead="Your first delivered event, in three steps.">
      {source && pipeline ? (
        <Stack gap="md">
          <SendSample flow={flow} source={source} secret={secret} onSecret={setSecret} />
          <FirstEvent flow={flow} pipeline={pipeline} />
        </Stack>
      ) : (
        <>
          <Card
            title="1. Create a starter pipeline"
            lead="An event comes in through a source, passes through a pipeline, and arrives at a destination."
          >
            <Stack align="flex-start">
              <List size="sm" spacing={4}>
                <List.Item>
                  a <b>source</b>: a webhook with a URL of its own, which accepts what is signed with its
                  secret
                </List.Item>
                <List.Item>
                  a <b>destination</b>: the built-in inbox, which stores what it receives and sends nothing
                  anywhere
                </List.Item>
                <List.Item>
                  a <b>pipeline</b> between them, without steps for now
                </List.Item>
              </List>
              {make.error && <ErrorNotice error={make.error} />}
              {mayMake ? (
                <Button loading={make.isPending} onClick={() => make.mutate(flow)}>
                  Create starter pipeline
                </Button>
              ) : (
                <Text size="sm" c="dimmed">
                  Creating them requires the member role or higher.
                </Text>
              )}
            </Stack>
          </Card>
          {mayMake && (
            <Card
              title="Or connect what you have"
              lead="GitHub, Stripe, Shopify and others, step by step from the source to the pipeline."
            >
              <Button
                variant="default"
                renderRoot={root => <Link to="/sources/new" search={{ kind: 'provider' }} {...root} />}
              >
                Connect a provider
              </Button>
            </Card>
          )}
        </>
      )}
    </Page>
  );
}
