import { Button, Center, Loader } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { CallError } from '../lib/api/call.ts';
import { Empty } from './empty.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Page } from './page.tsx';

/** What stands in place of a page: it is loading, was not found, or could not be drawn. */

export function NotFound() {
  return (
    <Page title="Nothing is here">
      <Empty
        sentence="This address leads nowhere. What was here may have been deleted, or belong to another organisation."
        action={
          <Button component={Link} to="/">
            To the overview
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
