import { z } from 'zod';
import type { TaskId } from '../../kernel/ids.ts';

/** Folder under a request's `artifact_dir` in which workers keep results until they are recorded. */
export const KEPT_RESULTS_FOLDER = 'results_to_deliver';

/**
 * A finished measurement that its worker keeps until it knows that it was delivered. `request` is the request it answers; only an
 * equal request is answered with it. Times are ISO, by the worker's clock.
 */
export const keptResult = z.object({
  request: z.record(z.string(), z.unknown()),
  /** Number of the attempt in which it was measured. */
  attempt: z.number().int().positive(),
  started_at: z.string(),
  finished_at: z.string(),
  /** The backend's answer; null when it failed. */
  result: z.unknown(),
  failure: z.string().nullable(),
});
export type KeptResult = z.infer<typeof keptResult>;

/** A measurement: a task and its pass, counted from 1. */
export interface MeasuredPass {
  task_id: TaskId;
  pass: number;
}

/** Name of the file that holds the result of a measurement. */
export function keptResultFile({ task_id, pass }: MeasuredPass): string {
  return `${task_id}_${pass}.json`;
}

/** Returns null for a damaged file or an unknown format. */
export function parseKeptResult(content: string): KeptResult | null {
  try {
    return keptResult.parse(JSON.parse(content));
  } catch {
    return null;
  }
}
