import { z } from 'zod';
import { yamlSettings } from '../../kernel/yaml-settings.ts';
import type { WindowSettings } from './window-rules.ts';

const hours = z.number().positive().max(87_600);
const hold = z.strictObject({
  hours: hours.optional(),
  tolerance: z.number().positive().optional(),
  of: z.enum(['unit', 'value']).optional(),
});
const content = z
  .strictObject({
    default: z.strictObject({ hours }),
    shortest_hours: hours,
    longest_hours: hours,
    largest_factor: z.number().min(1).max(1000),
    deviations: z.number().min(1).max(10).default(2.5),
    significance: z.number().positive().max(100),
    tasks: z.record(z.string(), hold).default({}),
    parameters: z.record(z.string(), hold).default({}),
  })
  .refine((read) => read.shortest_hours <= read.longest_hours, {
    message: 'must not be above longest_hours',
    path: ['shortest_hours'],
  })
  .transform(
    ({ shortest_hours, longest_hours, largest_factor, ...rest }): WindowSettings => ({
      ...rest,
      shortestHours: shortest_hours,
      longestHours: longest_hours,
      largestFactor: largest_factor,
    }),
  );

/** `maintenance.yaml` of the configuration. */
export const windowsFile = yamlSettings('maintenance.yaml', content);
