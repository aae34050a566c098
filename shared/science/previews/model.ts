import { z } from 'zod';

const cell = z.union([z.number(), z.string(), z.boolean(), z.null()]);
/** A value in a preview. Numbers that JSON does not have are the texts `nan`, `inf` and `-inf`. */
export type Cell = z.infer<typeof cell>;

/** Rows that a preview shows. */
export const PREVIEW_ROWS = 50;

/** The beginning of a NetCDF file's data as a table. */
export const artifactPreview = z
  .object({
    filename: z.string(),
    target: z.string().nullable().describe('What was measured, as far as the file says.'),
    source_type: z.string().nullable().describe('Kind of data, as far as the file says.'),
    shape: z.array(z.number().int()).describe('Lengths of the dimensions of the data.'),
    dtype: z.string().describe('Type of the stored values, such as `float64`; `complex` for complex data.'),
    columns: z.array(z.string()).describe('One for each dimension, then `value` or `real`, `imag`, `abs`.'),
    rows: z
      .array(z.record(z.string(), cell))
      .describe(`The first ${PREVIEW_ROWS} values, the last dimension running fastest.`),
    total_rows: z.number().int(),
    truncated: z.boolean(),
  })
  .meta({ id: 'ArtifactPreview' });
export type ArtifactPreview = z.infer<typeof artifactPreview>;

/** A variable of a file, before its values are read. */
export interface ArrayVariable {
  name: string;
  /** Lengths of the dimensions; none for a single value. */
  shape: readonly number[];
  /** For each dimension, the name of the variable with its axis; null if the file names none. */
  axes: readonly (string | null)[];
  dtype: string;
}

/** The beginning of a variable's values, the last dimension running fastest. */
export type FirstValues = { value: Cell[] } | { real: number[]; imag: number[] };

/** The access to a file that a preview needs, for any format. */
export interface ArrayFile {
  /** In the order of the file. */
  variables: readonly ArrayVariable[];
  /** A text attribute of the file; null if absent. */
  attribute(name: string): string | null;
  first(variable: ArrayVariable, count: number): FirstValues;
}

/** The file cannot be shown; the message is the end of the sentence "The file cannot be shown: …". */
export class PreviewProblem extends Error {
  override name = 'PreviewProblem';
}
