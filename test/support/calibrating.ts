import { expect } from 'vitest';
import { readMeasureResult } from '../../activities/backends/backend.ts';
import type { FaultPlan } from '../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import type { Estimate } from '../../shared/science/fitting/estimate.ts';
import { analyse } from '../../shared/tasks/analyses.ts';
import type { AnalysedInput } from '../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../shared/tasks/gates.ts';
import { resolveRunParameters } from '../../shared/tasks/run-parameters.ts';
import { taskNamed } from './ids.ts';
import { at, datasetOf, quiet, requestOf, taskOf } from './measured.ts';

/** What calibrating one qubit came to. */
export interface Calibrated {
  /** Task and message of the gate, instrument or analysis that stopped the chain; null when all tasks passed. */
  failure: string | null;
  /** The newest accepted value of each parameter. */
  known: Record<string, Estimate>;
  /** All that was accepted, in order. */
  accepted: ({ task: string; parameter: string } & Estimate)[];
}

/**
 * Runs a list of tasks on a qubit of the simulated chip as a run would, without engines: what passes the gates is what
 * the next tasks read, and the first failure ends the list.
 */
export async function calibrate(
  tasks: readonly string[],
  place: {
    seed: string;
    qid: string;
    faults?: FaultPlan;
    /** Run parameters by task, in place of the catalog's. */
    run?: Readonly<Record<string, Record<string, unknown>>>;
  },
  start: Readonly<Record<string, number>> = {},
): Promise<Calibrated> {
  const { seed, qid, faults, run = {} } = place;
  const simulator = createSimulator({ seed, faults, now: () => at });
  const known: Calibrated['known'] = {};
  for (const [name, value] of Object.entries(start)) known[name] = { value, error: 0 };
  const accepted: Calibrated['accepted'] = [];
  const stopped = (task: string, why: string): Calibrated => ({
    failure: `${task}: ${why}`,
    known,
    accepted,
  });
  for (const [index, name] of tasks.entries()) {
    const task = taskOf(name);
    const inputs: Record<string, AnalysedInput> = {};
    for (const [input, { fallback, required, unit, valueType }] of Object.entries(task.inputs)) {
      if (!required && known[input] === undefined && fallback === undefined) continue;
      const value = known[input]?.value ?? fallback ?? expect.fail(`${name} finds no ${input}`);
      inputs[input] = { value, unit, value_type: valueType, error: known[input]?.error ?? null };
    }
    const request = requestOf(task, qid, inputs, {
      task_id: taskNamed(`${seed}-${qid}-${index}`),
      run_parameters: resolveRunParameters(task, [run[name] ?? {}]).parameters,
    });
    const answer = await simulator.measure(request, quiet()).then(readMeasureResult, messageOf);
    if (typeof answer === 'string') return stopped(name, answer);
    const dataset = datasetOf(answer, qid);
    const analysis = analyse({ task, qid, dataset, inputs, runParameters: request.run_parameters });
    const refusal = gate(task, analysis);
    if (refusal !== null) return stopped(name, refusal.message);
    Object.assign(known, analysis.outputs);
    for (const [parameter, estimate] of Object.entries(analysis.outputs)) {
      accepted.push({ task: name, parameter, ...estimate });
    }
  }
  return { failure: null, known, accepted };
}
