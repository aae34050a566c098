import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { MeasureRequest, MeasureResult } from '../../activities/backends/backend.ts';
import { measureResult } from '../../activities/backends/backend.ts';
import type { FaultPlan } from '../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import type { Dataset } from '../../shared/science/datasets/model.ts';
import { decodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { analyse } from '../../shared/tasks/analyses.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import type { ResolvedParameters, TaskDefinition } from '../../shared/tasks/model.ts';
import { MAX_PASSES } from '../../shared/tasks/next-pass.ts';
import { resolveRunParameters } from '../../shared/tasks/run-parameters.ts';
import { executionNamed, projectNamed, taskNamed } from './ids.ts';

/** A time at which the device of every test has no drift. */
export const at = new Date('2026-03-01T00:00:00Z');

/** Where the simulator puts datasets that are too large to travel inline. */
export const artifactDirectory = mkdtempSync(
  join(process.env.CALIBRON_TEST_DIRECTORY ?? expect.fail('run the tests with npm test'), 'measured-'),
);

/** The definition of a task that the catalog must have. */
export function taskOf(name: string): TaskDefinition {
  return findTask(name) ?? expect.fail(`the catalog has no ${name}`);
}

/** A request as the workflow would send it. */
export function requestOf(
  task: TaskDefinition,
  qid: string,
  inputs: ResolvedParameters,
  changes: Partial<MeasureRequest> = {},
): MeasureRequest {
  return {
    contract: 1,
    project_id: projectNamed('project'),
    chip_id: 'chip',
    execution_id: executionNamed('20260301-000'),
    epoch: 1,
    task_id: taskNamed('task'),
    attempt: 1,
    task_name: task.name,
    task_type: task.taskType,
    targets: [qid],
    input_parameters: inputs,
    run_parameters: resolveRunParameters(task, []).parameters,
    artifact_dir: artifactDirectory,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    timeout: 3600,
    ...changes,
  };
}

/** Hears no abort and counts no heartbeats. */
export function quiet() {
  return { signal: new AbortController().signal, heartbeat: () => {} };
}

/** The data of one target, whichever way they travelled. */
export function datasetOf(result: MeasureResult, qid: string): Dataset {
  const { dataset, dataset_path } = result.targets[qid] ?? {};
  if (dataset !== undefined) return dataset;
  if (dataset_path === undefined) return expect.fail('the simulator gave no dataset');
  return decodeNetcdf(readFileSync(dataset_path)).dataset;
}

export interface Measured {
  task: TaskDefinition;
  qid: string;
  dataset: Dataset;
  inputs: ResolvedParameters;
  runParameters: ResolvedParameters;
  request: MeasureRequest;
}

interface MeasureOptions {
  qid?: string | undefined;
  inputs?: Record<string, number> | undefined;
  run?: Record<string, unknown>;
  faults?: FaultPlan;
  /** Pass of the task; the first one by default. */
  pass?: number;
}

/** Measures one task on the simulated device of a seed, by default with the start values. */
export async function measure(name: string, seed: string, options: MeasureOptions = {}): Promise<Measured> {
  const { qid = '0', faults, pass } = options;
  const task = taskOf(name);
  const simulator = createSimulator({ seed, faults, now: () => at });
  const start = simulator.startValues('chip', qid, at);
  const inputs: ResolvedParameters = {};
  for (const [input, { unit, valueType, required, fallback }] of Object.entries(task.inputs)) {
    const value = options.inputs?.[input] ?? start[input]?.value ?? fallback;
    if (value === undefined && !required) continue;
    if (value === undefined) expect.fail(`no start value for ${input}`);
    inputs[input] = { value, unit, value_type: valueType };
  }
  const { parameters: runParameters } = resolveRunParameters(task, [options.run ?? {}]);
  const request = requestOf(task, qid, inputs, {
    run_parameters: runParameters,
    ...(pass !== undefined && { pass }),
  });
  const result = measureResult.parse(await simulator.measure(request, quiet()));
  const dataset = datasetOf(result, qid);
  return { task, qid, dataset, inputs, runParameters, request };
}

/** The last of the passes that the analysis of a task asks for, as the service makes them. */
export async function measureInPasses(
  name: string,
  seed: string,
  options: Omit<MeasureOptions, 'pass'> = {},
): Promise<Measured> {
  let measured = await measure(name, seed, options);
  let run = options.run ?? {};
  for (let pass = 2; pass <= MAX_PASSES; pass++) {
    const { again } = analyse(measured);
    if (again === undefined) break;
    run = { ...run, ...again.run };
    measured = await measure(name, seed, { ...options, run, pass });
  }
  return measured;
}
