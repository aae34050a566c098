import { z } from 'zod';
import { computingSettings } from './computing-settings.ts';
import { number, seconds } from './setting-kinds.ts';

/** Settings of worker processes, included in the schema of all settings. */
export const workerSettings = {
  WORKER_QUEUES: z
    .string()
    .default('calibration,backend:simulator')
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
  ...computingSettings,
  STAGE_PARALLEL: number
    .int('must be a whole number')
    .min(1, 'must be 1 to 200')
    .max(200, 'must be 1 to 200')
    .default(32)
    .describe('Targets that a stage keeps in flight unless the flow says otherwise.'),
  MEASURE_HEARTBEAT_TIMEOUT: seconds
    .optional()
    .describe(
      'Seconds without a heartbeat after which a measuring worker counts as dead; default: 10 for the simulator, 90 for other backends. backends.json may say otherwise for a backend and its tasks.',
    ),
  BACKEND_LOOK_INTERVAL: seconds
    .max(20, 'must be at most 20')
    .default(15)
    .describe('Seconds between two looks at which workers serve the backends; at most 20.'),
  RECONCILE_INTERVAL: seconds.default(60).describe('Seconds between two rounds of the reconciler.'),
};
