import { z } from 'zod';

/** Folder under a run's `artifact_dir` in which workers keep results until they are recorded. */
export const KEPT_RESULTS_FOLDER = 'results_to_deliver';

/**
 * A finished measurement that its worker keeps, because it does not know yet whether it was delivered. `request` is what
 * was asked: only the same request is answered with it. Times are ISO, by the worker's clock.
 */
export const keptResult = z.object({
  request: z.record(z.string(), z.unknown()),
  /** Which time it was asked for when it was measured. */
  attempt: z.number().int().positive(),
  started_at: z.string(),
  finished_at: z.string(),
  /** The backend's answer; null when it failed. */
  result: z.unknown(),
  failure: z.string().nullable(),
});
export type KeptResult = z.infer<typeof keptResult>;

/** A measurement: a task, and the pass of it from 1 on. */
export interface MeasuredPass {
  task_id: string;
  pass: number;
}

/** Name of the file that holds the result of a measurement. */
export function keptResultFile({ task_id, pass }: MeasuredPass): string {
  return `${task_id}_${pass}.json`;
}

/** Null for what is damaged or has another form. */
export function parseKeptResult(content: string): KeptResult | null {
  try {
    return keptResult.parse(JSON.parse(content));
  } catch {
    return null;
  }
}
