import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { MeasureRequest } from '../backend.ts';
import { randomFrom } from './random.ts';

/**
 * What the simulator does instead of an honest measurement.
 *
 * - `noise`: data without any signal. `nan`: a NaN in the data. `oversize`: a result of 10 MB.
 * - `garbage`: an answer that breaks the contract. `error`: throws `message`.
 * - `silent`: neither answers nor heartbeats until it is aborted. `stall`: heartbeats, but never answers; throws at the
 *   request's deadline. `slow`: takes `seconds` and then measures.
 */
export const faultBehaviour = z.enum([
  'noise',
  'nan',
  'oversize',
  'garbage',
  'error',
  'silent',
  'stall',
  'slow',
]);
export type FaultBehaviour = z.infer<typeof faultBehaviour>;

export const faultRule = z.strictObject({
  /** All that is given must match; `targets` matches when it holds one of the request's targets. */
  match: z
    .strictObject({
      project_id: z.string().optional(),
      task_name: z.string().optional(),
      targets: z.array(z.string()).optional(),
      /** Share of matching measurements that are hit; which ones depends on the seed. */
      probability: z.number().min(0).max(1).optional(),
    })
    .default({}),
  behaviour: faultBehaviour,
  seconds: z.number().min(0).optional(),
  message: z.string().optional(),
});
export type FaultRule = z.infer<typeof faultRule>;

/** Plain data, so that it can be written to a file or an environment variable. The first rule that matches counts. */
export const faultPlan = z.strictObject({ rules: z.array(faultRule) });
export type FaultPlan = z.infer<typeof faultPlan>;

/**
 * Reads a fault plan from a JSON file; a file that does not exist plans none.
 * @throws when the file holds something else
 */
export async function readFaultPlan(path: string): Promise<FaultPlan> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { rules: [] };
    throw error;
  }
  return faultPlan.parse(JSON.parse(text));
}

/** The rule that this measurement falls under, if any. */
export function findFault(plan: FaultPlan, request: MeasureRequest, seed: string): FaultRule | undefined {
  return plan.rules.find(({ match }, index) => {
    if (match.project_id !== undefined && match.project_id !== request.project_id) return false;
    if (match.task_name !== undefined && match.task_name !== request.task_name) return false;
    if (match.targets !== undefined && !request.targets.some((qid) => match.targets?.includes(qid)))
      return false;
    if (match.probability === undefined) return true;
    const { execution_id, task_id, attempt } = request;
    return randomFrom(seed, 'fault', index, execution_id, task_id, attempt).uniform() < match.probability;
  });
}

/** 10 MB in one string, far over what a result may have. */
const OVERSIZE_BYTES = 10 * 1024 * 1024;

/** A result of 10 MB that otherwise fits the contract. */
export function oversizeAnswer(request: MeasureRequest): unknown {
  return {
    targets: Object.fromEntries(request.targets.map((qid) => [qid, { outputs: {} }])),
    log: 'x'.repeat(OVERSIZE_BYTES),
  };
}

/** Answers that break the contract, each in its own way; the seed decides which. */
export function garbageAnswer(request: MeasureRequest, seed: string): unknown {
  const kinds: readonly unknown[] = [
    { targets: 'no' },
    { targets: { [request.targets[0] ?? '0']: { dataset: { dims: { time: -1 }, variables: [] } } } },
    'garbage',
    null,
    [],
    { result: 42 },
  ];
  const choice = randomFrom(seed, 'garbage', request.task_id, request.attempt).uniform();
  return kinds[Math.floor(choice * kinds.length)];
}
