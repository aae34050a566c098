import { z } from 'zod';
import { number, type SettingsOf } from '../kernel/setting-kinds.ts';

/** Settings of the built-in simulator. */
export const simulatorSettings = {
  SIMULATOR_SEED: z.string().optional().describe("Seed of simulated devices; default: the chip's id."),
  SIMULATOR_NOISE_SEED: z
    .string()
    .optional()
    .describe(
      'Seed that gives all simulated measurements of a task on a target the same noise; default: new noise each time.',
    ),
  SIMULATOR_JOURNAL: z
    .string()
    .optional()
    .describe('File in which the simulator notes each start and end of a measurement.'),
  SIMULATOR_SECONDS: number
    .min(0, 'must not be negative')
    .default(0)
    .describe('Real seconds that a simulated measurement takes.'),
  SIMULATOR_FAULTS: z
    .string()
    .optional()
    .describe('JSON file with faults of the simulator, read at each measurement.'),
};
export type SimulatorSettings = SettingsOf<typeof simulatorSettings>;
