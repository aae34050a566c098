import { z } from 'zod';
import { executionIdSchema, type ProjectId, taskIdSchema } from '../../kernel/ids.ts';
import { integer, timestamp } from '../../kernel/wire.ts';
import { targetKinds } from '../chips/model.ts';
import { plainTargetId } from '../chips/rules.ts';
import { outputName, type storedParameter } from '../results/model.ts';

const parameterValue = z.union([
  z.number(),
  z.string(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.number(), z.string()])),
]);
const targetType = z.enum(targetKinds);

/**
 * Body of PATCH /calibrations/parameters. A number without a unit is in the unit of the catalog; a value in another unit is
 * converted to it.
 */
export const editParameters = z.object({
  chip_id: z.string(),
  qid: z
    .string()
    .transform(plainTargetId)
    .describe('A qubit, or a coupling as `<control>-<target>`; `0`, `Q0` and `Q00` are the same qubit.'),
  parameters: z
    .record(
      outputName,
      z.union([
        z.number(),
        z.object({
          value: z.number(),
          unit: z.string().max(50).nullable().default(null),
          error: z.number().min(0).nullable().default(null),
        }),
      ]),
    )
    .refine((given) => Object.keys(given).length > 0, 'must name a parameter')
    .refine((given) => Object.keys(given).length <= 100, 'must name at most 100 parameters'),
  reason: z.string().max(2000).nullable().default(''),
});
export type EditParameters = z.infer<typeof editParameters>;

export const change = z.object({
  parameter_name: z.string(),
  previous_value: parameterValue,
  value: z.number(),
  unit: z.string(),
  error: z.number().nullable(),
});

/** A manual edit, and whether it was undone. */
export const manualEdit = z
  .object({
    edit_id: executionIdSchema,
    chip_id: z.string(),
    qid: z.string(),
    target_type: targetType,
    changes: z.array(change),
    reason: z.string(),
    edited_by: z.string(),
    edited_at: timestamp,
    undone_by: z.string().nullable(),
    undone_at: timestamp.nullable(),
    undo_of: z.string().nullable().describe('The edit that this one took back.'),
  })
  .meta({ id: 'ManualEdit' });
export type ManualEdit = z.infer<typeof manualEdit>;

/** Answer of PATCH /calibrations/parameters. */
export const savedEdit = manualEdit
  .extend({
    updated_count: z.number().int().describe('Number of parameters that were changed.'),
    provenance_activity_id: z.string().describe('The activity under which provenance recorded the edit.'),
  })
  .meta({ id: 'SavedManualEdit' });
export type SavedEdit = z.infer<typeof savedEdit>;

/** The manual edits of one target, one entry per parameter, newest first. */
export const targetEdits = z
  .object({
    qid: z.string(),
    edits: z.array(
      z.object({
        parameter_name: z.string(),
        value: z.number(),
        unit: z.string(),
        edited_at: timestamp,
        execution_id: executionIdSchema.describe('The edit, as the parameter records name it.'),
      }),
    ),
  })
  .meta({ id: 'TargetManualEdits' });
export type TargetEdits = z.infer<typeof targetEdits>;

export const manualEditList = z.object({
  items: z.array(manualEdit),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});
export const manualEditQuery = z.object({
  chip_id: z.string(),
  qid: z.string().transform(plainTargetId).optional(),
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
});

/** An edit as stored; `_id` is `<project_id>/<edit_id>`. */
export interface EditDocument extends Omit<ManualEdit, 'edited_at' | 'undone_at' | 'changes'> {
  _id: string;
  project_id: ProjectId;
  edited_at: Date;
  undone_at: Date | null;
  changes: (ManualEdit['changes'][number] & {
    /** The whole record that the value replaced; null if there was none. */
    previous: z.infer<typeof storedParameter> | null;
  })[];
}

/** Start values by parameter, then by qubit, as in files and requests. */
const seedValues = z.record(outputName, z.record(z.string(), z.number().nullable()));

const names = z.array(outputName).max(200).nullable().default(null);

/** Body of POST /calibrations/seed-import: values in the request, or from the chip's parameter files. */
export const importSeeds = z.object({
  chip_id: z.string(),
  parameters: names.describe('Import only these parameters.'),
  qids: z
    .array(z.string().transform(plainTargetId))
    .max(4096)
    .nullable()
    .default(null)
    .describe('Import only these qubits.'),
  manual_data: seedValues
    .nullable()
    .default(null)
    .describe(
      'Values by parameter and qubit, instead of files. `0`, `Q0` and `Q00` are the same qubit, which has one value.',
    ),
  source: z
    .string()
    .max(100)
    .nullable()
    .optional()
    .describe('`manual`, or any name for the parameter files. The answer repeats it.'),
});
export type ImportSeeds = z.infer<typeof importSeeds>;

export const seedImport = z.object({
  chip_id: z.string(),
  execution_id: executionIdSchema
    .nullable()
    .describe('Id of the import in provenance; null if nothing was imported.'),
  imported_count: z.number().int(),
  skipped: z.array(z.object({ parameter_name: z.string(), qid: z.string(), reason: z.string() })),
  source: z.string().describe('Where the values come from: as in the request, else `manual` or `files`.'),
  skipped_count: z.number().int(),
  error_count: z.number().int(),
  results: z
    .array(
      z.object({
        parameter_name: z.string(),
        qid: z.string(),
        value: z.number().nullable(),
        unit: z.string(),
        status: z
          .enum(['imported', 'skipped', 'error'])
          .describe('skipped: no such qubit, or no value. error: the value is not allowed.'),
        message: z.string(),
      }),
    )
    .describe('One entry per value.'),
});
export type SeedImport = z.infer<typeof seedImport>;

export const seedParameters = z.object({
  chip_id: z.string(),
  parameters: z.array(
    z.object({
      parameter_name: z.string(),
      file: z.string(),
      unit: z.string(),
      description: z.string(),
      count: z.number().int(),
    }),
  ),
});

export const seedComparison = z.object({
  chip_id: z.string(),
  items: z.array(
    z.object({
      parameter_name: z.string(),
      qid: z.string(),
      unit: z.string(),
      seed_value: z.number(),
      current_value: parameterValue,
      delta: z.number().nullable(),
      status: z.enum(['same', 'different', 'new']),
    }),
  ),
});
export type SeedComparison = z.infer<typeof seedComparison>;

/** Names of the parameters that have start values. */
export const seedParameterNames = z.array(z.string());

/** The start values of the files next to those of the calibration state, by parameter and qubit. */
export const seedComparisonByParameter = z
  .object({
    chip_id: z.string(),
    parameters: z.record(
      z.string(),
      z.object({
        unit: z.string(),
        qubits: z.record(
          z.string(),
          z.object({
            yaml_value: z.number(),
            qdash_value: parameterValue,
            status: z.enum(['new', 'different', 'same']),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'SeedComparisonByParameter' });
export type SeedComparisonByParameter = z.infer<typeof seedComparisonByParameter>;

/** What the lab's programs need to play the calibrated gates, by label (`Q00`, `Q00-Q01`). */
export const calibrationNote = z.object({
  username: z.string(),
  chip_id: z.string(),
  execution_id: executionIdSchema,
  task_id: taskIdSchema,
  note: z.record(z.string(), z.record(z.string(), z.record(z.string(), parameterValue))),
  timestamp: timestamp,
});
export type CalibrationNote = z.infer<typeof calibrationNote>;
