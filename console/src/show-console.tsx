import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import type { Root } from 'react-dom/client';
import { CalibronProblem } from './api.ts';
import { createConsoleRouter } from './routes.tsx';

const RETRIES = 4;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // What the service refuses, it refuses again; everything else passes, such as a restart of the service.
      retry: (count, error) =>
        count < RETRIES && !(error instanceof CalibronProblem && error.status < 500 && error.status !== 429),
      retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 4000),
    },
    mutations: { retry: false },
  },
});

/** Shows the page of the address, and then those that the reader goes to. */
export function showConsole(root: Root): void {
  root.render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={createConsoleRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
