import { z } from 'zod';
import { commaSeparated, number, type SettingsOf, seconds } from '../kernel/setting-kinds.ts';

/** Settings of worker processes. */
export const workerSettings = {
  WORKER_QUEUES: z
    .string()
    .default('calibration,backend:simulator')
    .transform(commaSeparated)
    .describe(
      'Task queues that a worker process serves, comma-separated; with `calibration` come `flows` and `review`, which more processes may serve.',
    ),
  WORKER_DEPLOYMENT: z
    .string()
    .regex(/^[\w-]+$/, 'may hold letters, digits, _ and - only')
    .optional()
    .describe(
      'Name of the worker deployment that these workers belong to (docs/versions.md); unset: they have no version.',
    ),
  WORKER_GRACE: number
    .min(0, 'must not be negative')
    .default(3)
    .describe(
      'Seconds that a stopping worker gives its running measurements before it aborts them, for another worker to repeat them; 5 s later it ends.',
    ),
  WORKER_HEALTH_FILE: z
    .string()
    .optional()
    .describe('File that a worker touches every 5 s while it can work, for health checks.'),
  WORKER_METRICS_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d+$/, 'must be host:port')
    .optional()
    .describe('host:port at which a worker shows its metrics to Prometheus under /metrics; unset: nowhere.'),
  BACKEND_ROUTE_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d+$/, 'must be host:port')
    .default('127.0.0.1:7234')
    .describe(
      'host:port at which the proxy to Temporal for backends listens, which lets them poll only the queues of WORKER_QUEUES (workers/backend-route).',
    ),
  UPLOAD_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Address of the API to which the simulator uploads large data if it shares no file system with the workers; unset: it writes files.',
    ),
  RECONCILE_INTERVAL: seconds.default(60).describe('Seconds between two rounds of the reconciler.'),
  ANALYSIS_THREADS: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 64')
    .max(64, 'must be 1 to 64')
    .optional()
    .describe('Threads of a worker for fits, up to 150 MB each; default: one per core, at most 4.'),
  FIGURE_DRAWING: z
    .enum(['idle', 'immediate'])
    .default('idle')
    .describe(
      'When workers draw the pictures of figures: while they have nothing else to do (idle), or as soon as a task is recorded (immediate), for programs that read the folders themselves. A picture that is requested earlier is drawn at once.',
    ),
  FLOW_THREADS: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 64')
    .max(64, 'must be 1 to 64')
    .optional()
    .describe(
      'Threads of a worker in which flows compute; default: one less than its cores, but 2 to 4. If there are several, one is reserved for flows that compute little.',
    ),
  FLOW_PROCESSOR_SECONDS: seconds
    .default(60)
    .describe('Seconds of processor time that the code of a flow may use in a whole run.'),
};
export type WorkerSettings = SettingsOf<typeof workerSettings>;
