import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { projectIdSchema } from '../../../shared/kernel/ids.ts';
import { qubitDefect } from '../../../shared/science/device/defects.ts';
import { incident } from '../../../shared/science/device/incidents.ts';
import { phenomenon } from '../../../shared/science/device/phenomena.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import type { MeasureRequest } from '../backend.ts';

/** Which measurements a rule applies to. All given conditions must match. */
const faultMatch = z
  .strictObject({
    project_id: projectIdSchema.optional(),
    task_name: z.string().optional(),
    /** Matches if it contains one of the request's targets. */
    targets: z.array(z.string()).optional(),
    /** 1 for the first attempt of a measurement, 2 for its repetition. */
    attempt: z.number().int().positive().optional(),
    /** Fraction of matching measurements that are affected. The seed determines which ones. */
    probability: z.number().min(0).max(1).optional(),
  })
  .default({});

/** How an instrument that does its own fits lies; see {@link faultRule}. */
const lie = z.strictObject({
  /** Factor by which the true values are multiplied. */
  factor: z.number().default(1.1),
  /** The claimed r2. */
  r2: z.number().nullable().default(0.999),
  /** False: it does not report the errors of its values. */
  errors: z.boolean().default(true),
});
export type Lie = z.infer<typeof lie>;

function behaviour<Name extends string, Options extends z.ZodRawShape>(name: Name, options: Options) {
  return z.strictObject({ match: faultMatch, behaviour: z.literal(name), ...options });
}

const seconds = z.number().min(0);

/**
 * What the simulator does instead of an honest measurement.
 *
 * - `noise`: data without any signal. `nan`: a NaN in the data. `oversize`: a result of 10 MB.
 * - `garbage`: an answer that violates the contract. `error`: throws `message`.
 * - `lie`: finished outputs instead of data: those of a correct fit, times a factor.
 * - `slow`: takes `seconds` and then measures. `stall`: heartbeats, but never answers; throws at the request's deadline.
 * - `silent`: neither answers nor heartbeats until it is aborted.
 * - `disconnect`: stops its heartbeats halfway, and answers after `seconds` unless it is aborted first.
 */
export const faultRule = z.discriminatedUnion('behaviour', [
  behaviour('noise', {}),
  behaviour('nan', {}),
  behaviour('oversize', {}),
  behaviour('garbage', {}),
  behaviour('error', { message: z.string().optional() }),
  behaviour('lie', { lie: lie.prefault({}) }),
  behaviour('slow', { seconds: seconds.optional() }),
  behaviour('stall', {}),
  behaviour('silent', {}),
  behaviour('disconnect', { seconds }),
]);
export type FaultRule = z.infer<typeof faultRule>;

/** The time of the simulated device: `device` at the real time `real`, and `rate` times as fast from then on. */
export const deviceClock = z.strictObject({
  device: z.iso.datetime(),
  real: z.iso.datetime().optional(),
  rate: z.number().min(0).default(0),
});
type DeviceClock = z.infer<typeof deviceClock>;

/** The time of the device at a real time. */
export function deviceTime(at: Date, clock: DeviceClock | undefined): Date {
  if (clock === undefined) return at;
  const passed = clock.real === undefined ? 0 : at.getTime() - new Date(clock.real).getTime();
  return new Date(new Date(clock.device).getTime() + clock.rate * passed);
}

/**
 * Defects of the device and faults of the instrument, as plain data for a file or an environment variable. The first
 * matching rule applies. Unknown keys are refused.
 */
export const faultPlan = z.strictObject({
  rules: z.array(faultRule).default([]),
  defects: z.array(qubitDefect).optional(),
  phenomena: z.array(phenomenon).optional(),
  incidents: z.array(incident).optional(),
  clock: deviceClock.optional(),
});
export type FaultPlan = z.infer<typeof faultPlan>;

/**
 * Reads a fault plan from a JSON file. A missing file means no faults.
 * @throws an error listing all mistakes if the content is invalid
 */
export async function readFaultPlan(path: string): Promise<FaultPlan> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { rules: [] };
    throw error;
  }
  const parsed = faultPlan.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`The simulator's fault plan cannot be used: ${mistakes.join('; ')}.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The simulator's fault plan cannot be used: it is not JSON.");
  }
}

/** The rule that applies to this measurement, if any. */
export function findFault(plan: FaultPlan, request: MeasureRequest, seed: string): FaultRule | undefined {
  return plan.rules.find(({ match }, index) => {
    if (match.project_id !== undefined && match.project_id !== request.project_id) return false;
    if (match.task_name !== undefined && match.task_name !== request.task_name) return false;
    if (match.attempt !== undefined && match.attempt !== request.attempt) return false;
    if (match.targets !== undefined && !request.targets.some((qid) => match.targets?.includes(qid)))
      return false;
    if (match.probability === undefined) return true;
    const { execution_id, task_id, attempt } = request;
    return randomFrom(seed, 'fault', index, execution_id, task_id, attempt).uniform() < match.probability;
  });
}
