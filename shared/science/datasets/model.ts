import { z } from 'zod';

/**
 * One array of a dataset, flattened row-major over `dims`. `values` contain null where the instrument had no number:
 * JSON has no NaN and no infinity.
 */
const datasetVariable = z.object({
  dims: z.array(z.string()),
  values: z.array(
    z.number({ error: 'must be a number, or null where there is none: JSON has no NaN' }).nullable(),
  ),
  unit: z.string().default(''),
  long_name: z.string().default(''),
});
export type DatasetVariable = z.infer<typeof datasetVariable>;

/**
 * Measured data with named axes, as a backend returns it and as NetCDF stores it.
 *
 * - `dims`: length of every dimension.
 * - `coordinates`: one variable for each dimension, of the same name (`time` in ns, `frequency` in GHz …).
 * - `variables`: the measured values. Complex data is a pair `<name>_re`, `<name>_im`.
 */
export const dataset = z.object({
  dims: z.record(z.string(), z.number().int().positive()),
  coordinates: z.record(z.string(), datasetVariable),
  variables: z.record(z.string(), datasetVariable),
});
export type Dataset = z.infer<typeof dataset>;
