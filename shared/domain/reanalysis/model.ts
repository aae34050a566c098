import { z } from 'zod';
import { taskIdSchema } from '../../kernel/ids.ts';
import { listIfText } from '../../kernel/text.ts';
import { boolean, integer } from '../../kernel/wire.ts';

const decibels = z.number().min(-200).max(200);
const sourceTask = {
  source_task_id: taskIdSchema.max(200).nullish().describe('Default: the newest result.'),
};

const placeOrderText = z
  .array(z.number().int().min(0).max(3))
  .length(4)
  .refine((order) => new Set(order).size === 4, 'should name each of the places 0 to 3 once');

/** Body of a reanalysis of resonator spectroscopy. */
export const resonatorReanalysis = z.object({
  ...sourceTask,
  parameters: z
    .object({
      num_resonators: integer({ min: 1, max: 16 }).nullish(),
      high_power_min: decibels.nullish(),
      high_power_max: decibels.nullish(),
      low_power: decibels.nullish(),
      bare_shift_strength_limit: z.number().positive().nullish(),
      bare_shift_estimator_type: z.enum(['config', 'high_frequency_strength']).nullish(),
      resonator_assignment_order: z
        .preprocess(listIfText, placeOrderText)
        .nullish()
        .describe('Places on the multiplexer by rising resonator frequency.'),
      resonator_assignment_pattern: z.enum(['default', '16q']).nullish(),
    })
    .nullish(),
});
export type ResonatorReanalysis = z.infer<typeof resonatorReanalysis>;

/** Body of a reanalysis of qubit spectroscopy. */
export const qubitReanalysis = z.object({
  ...sourceTask,
  parameters: z
    .object({
      binarize_threshold_sigma_plus: z.number().positive().max(100).nullish(),
      binarize_threshold_sigma_minus: z.number().negative().min(-100).nullish(),
      top_power: decibels.nullish(),
      f01_height_min: z.number().positive().max(200).nullish(),
      f12_distance_min: z.number().min(0).max(20).nullish(),
      f12_distance_max: z.number().min(0).max(20).nullish(),
      f12_height_min: z.number().positive().max(200).nullish(),
      retry_with_trim: boolean().nullish(),
    })
    .refine(
      ({ f12_distance_min: from, f12_distance_max: to }) =>
        typeof from !== 'number' || typeof to !== 'number' || from <= to,
      'f12_distance_min should not be above f12_distance_max',
    )
    .nullish(),
});
export type QubitReanalysis = z.infer<typeof qubitReanalysis>;

/** Body of a reanalysis of a task that a backend declares. */
export const ownTaskReanalysis = z.object({
  parameters: z
    .record(z.string().max(100), z.unknown())
    .nullish()
    .describe('Run parameters that replace those of the measurement, by name.'),
});

/** Result of a reanalysis, which is not stored. */
export const reanalysed = z
  .object({
    source_task_id: taskIdSchema,
    source_task_name: z.string(),
    qid: z.string(),
    figure: z
      .record(z.string(), z.unknown())
      .describe('A Plotly figure of the data with what was found; empty if the analysis draws none.'),
    output_parameters: z
      .array(z.object({ name: z.string(), value: z.number(), unit: z.string() }))
      .describe('Empty when nothing was found; the title of the figure says why.'),
    committed: z.boolean().describe('Always false: this is a preview.'),
  })
  .meta({ id: 'Reanalysis' });
export type Reanalysed = z.infer<typeof reanalysed>;
