import { Button, Center, Loader } from '@mantine/core';
import { withOrganisation } from '@sluice/contract/organisation-address';
import { Link, useRouter, useRouterState } from '@tanstack/react-router';
import { CallError } from '../lib/api/call.ts';
import { useCall } from '../lib/api/use-call.ts';
import { Empty } from './empty.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Page } from './page.tsx';

/** What stands in place of a page: it is loading, was not found, or could not be drawn. */

export function NotFound() {
  const path = useRouterState({ select: ({ location }) => location.href });
  const id = /\/((?:evt|dlv|src|pipe|dst|job|aud)_[0-9A-Z]{26})(?=$|[/?#])/.exec(path)?.[1];
  const { data: found } = useCall('GET /whereabouts/:id', id === undefined ? null : { id });
  if (found) {
    const { name, slug } = found.organisation;
    return (
      <Page title="Not found here">
        <Empty
          sentence={`It belongs to ${name}.`}
          action={
            <Button component="a" href={withOrganisation(slug, path)}>
              Open in {name}
            </Button>
          }
        />
      </Page>
    );
  }
  const making = /\/(sources|pipelines|destinations)\/new(?=$|[?#])/.exec(path)?.[1];
  if (making !== undefined) {
    return (
      <Page title="Not allowed">
        <Empty
          sentence={`Creating ${making} requires the member role or higher.`}
          action={
            <Button component={Link} to={`/${making}`}>
              View {making}
            </Button>
          }
        />
      </Page>
    );
  }
  return (
    <Page title="Not found">
      <Empty
        sentence="It may have been deleted, or you may not have access to it."
        action={
          <Button component={Link} to="/">
            Overview
          </Button>
        }
      />
    </Page>
  );
}

/** A page that could not be drawn says so, and the rest of the dashboard goes on. */
export function PageFailed({ error }: { error: unknown }) {
  const router = useRouter();
  const shown =
    error instanceof CallError
      ? error
      : new CallError(0, 'internal', `This page could not be shown: ${String(error)}`, null);
  return (
    <Page title="Something went wrong">
      <ErrorNotice error={shown} onRetry={() => void router.invalidate()} />
    </Page>
  );
}

export function Loading() {
  return (
    <Center py={80}>
      <Loader size="sm" role="status" aria-label="Loading" />
    </Center>
  );
}

interface Read {
  readonly data: unknown;
  readonly error: CallError | null;
  refetch(): unknown;
}

/** The one that there is nothing to show of. What could not be read again is still known from before, and shown on. */
export const findFailed = (reads: readonly Read[]): Read | undefined =>
  reads.find(({ data, error }) => error !== null && data === undefined);

/** What a part of a page shows until its answers are there. */
export function PartWaiting({ reads }: { reads: readonly Read[] }) {
  const failed = findFailed(reads);
  if (!failed?.error) return <Loading />;
  return <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />;
}

/** What a page shows until its answer is there: that it loads, that it is gone, or what is wrong. */
export function Waiting({ error, onRetry }: { error: CallError | null; onRetry: () => void }) {
  if (error === null) return <Loading />;
  if (error.status === 404) return <NotFound />;
  return (
    <Page title="Something went wrong">
      <ErrorNotice error={error} onRetry={onRetry} />
    </Page>
  );
}
