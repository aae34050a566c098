import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { CalibronProblem } from './api.ts';
import { createConsoleRouter } from './routes.tsx';
import { applyTheme } from './theme.ts';
// In this order: later ones refine earlier ones.
import './style/base.css';
import './style/controls.css';
import './style/frame.css';
import './style/lattice.css';
import './style/tables.css';
import './style/messages.css';

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
const router = createConsoleRouter();

applyTheme();
const root = document.getElementById('root');
if (!root) throw new Error('The page has no root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
