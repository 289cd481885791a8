import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import './app/theme.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/routes.tsx';
import { theme } from './app/theme.ts';
import { CallError, session } from './lib/api/call.ts';
import { readSessionAhead } from './lib/api/use-call.ts';
import { nonce, shareNonce } from './lib/nonce.ts';
import { isPublic } from './lib/organisation.ts';
import { markMissingStyleSheets } from './lib/style-sheets.ts';
import { RemovalsProvider } from './lib/undo/use-removals.tsx';

const MOST_RETRIES = 2;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server has refused once it refuses again; only silence is worth another try.
      retry: (failures, error) => error instanceof CallError && error.status === 0 && failures < MOST_RETRIES,
      refetchOnWindowFocus: true,
      // A browser that thinks itself offline would keep calls back for ever, and pages waiting without a word.
      networkMode: 'always',
      staleTime: 1_000,
    },
    mutations: { networkMode: 'always' },
  },
});

// The frame around the pages asks again who is logged in, and leads to the login and back where nobody is.
session.addEventListener('refused', () => void queries.invalidateQueries({ queryKey: ['call', '/session'] }));

/** Notices come after the first page, and nothing fails before it. */
const sayFailed = async (message: string, error: unknown) => {
  const { notifyError } = await import('./lib/notify-error.ts');
  notifyError(new Error(`Not done: ${message}. ${error instanceof Error ? error.message : String(error)}`));
};

shareNonce();
markMissingStyleSheets(document);
if (!isPublic(window.location.pathname)) readSessionAhead(queries);
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={nonce}>
        <QueryClientProvider client={queries}>
          <RemovalsProvider onFailed={sayFailed}>
            <RouterProvider router={router} />
          </RemovalsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
