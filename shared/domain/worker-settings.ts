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
      'Name of the deployment whose versions these workers are (docs/versions.md); unset: they have none.',
    ),
  WORKER_GRACE: number
    .min(0, 'must not be negative')
    .default(3)
    .describe(
      'Seconds that a stopping worker leaves to what runs, before a measurement is aborted and made again elsewhere; 5 s later it ends.',
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
      'host:port at which the route to Temporal for backends listens, which lets them poll the queues of WORKER_QUEUES only (workers/backend-route).',
    ),
  UPLOAD_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Address of the API to which the simulator uploads large data where it shares no file system with the workers; unset: it writes files.',
    ),
  RECONCILE_INTERVAL: seconds.default(60).describe('Seconds between two rounds of the reconciler.'),
  ANALYSIS_THREADS: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 64')
    .max(64, 'must be 1 to 64')
    .optional()
    .describe(
      'Threads of a worker for fits, up to 150 MB each; default: one for each of its cores, at most 4.',
    ),
  FIGURE_DRAWING: z
    .enum(['idle', 'immediate'])
    .default('idle')
    .describe(
      'When workers draw the pictures of figures: while they have nothing else to do (idle), or as soon as a task is recorded (immediate), for programs that read the folders themselves. A picture that is requested before is drawn at once.',
    ),
  FLOW_THREADS: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 64')
    .max(64, 'must be 1 to 64')
    .optional()
    .describe(
      'Threads of a worker in which flows compute; default: one less than its cores, 2 to 4. Of several, one is for flows that hardly compute.',
    ),
  FLOW_PROCESSOR_SECONDS: seconds
    .default(60)
    .describe('Seconds of processor time that the code of a flow may have in all of a run.'),
};
export type WorkerSettings = SettingsOf<typeof workerSettings>;
