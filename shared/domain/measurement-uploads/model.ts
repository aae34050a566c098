import { z } from 'zod';
import { projectIdSchema, taskIdSchema, userIdSchema } from '../../kernel/ids.ts';

/** Content of an upload token: its measurement, the ids of its rows, and whom it is for. */
export const uploadClaims = z.object({
  project_id: projectIdSchema,
  task_id: taskIdSchema,
  rows: z.array(taskIdSchema).min(1),
  /** The user whose share of the queue uploads use; absent in tokens of an earlier version. */
  share_user_id: userIdSchema.optional(),
});
export type UploadClaims = z.infer<typeof uploadClaims>;

/** Name of an uploaded file: it begins with a letter or digit and has the extension of a data file. */
export const uploadedName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,98}\.(nc|h5|hdf5|csv|npy|npz|zip|json)$/);

/** Response of PUT /measurements/{task_id}/files/{name}. */
export const uploadedFile = z
  .object({
    path: z.string().describe('Use it as dataset_path or raw_data of the result.'),
    size: z.number(),
  })
  .meta({ id: 'UploadedMeasurementFile' });
export type UploadedFile = z.infer<typeof uploadedFile>;
