import { z } from 'zod';
import { type SettingsOf, seconds } from '../../kernel/setting-kinds.ts';

/** Settings of backends, besides those in backends.json. */
export const measuringSettings = {
  DEFAULT_BACKEND: z.string().min(1).default('simulator').describe('Backend of runs that name none.'),
  MEASURE_HEARTBEAT_TIMEOUT: seconds
    .optional()
    .describe(
      'Seconds without a heartbeat after which a measuring worker counts as dead; default: 10 for the simulator, 90 for other backends. backends.json may set another for a backend and its tasks.',
    ),
  BACKEND_LOOK_INTERVAL: seconds
    .max(20, 'must be at most 20')
    .default(15)
    .describe('Seconds between checks of which workers serve the backends; at most 20.'),
};
export type MeasuringSettings = SettingsOf<typeof measuringSettings>;
