/** Calibrates the simulated device task by task, as the bring-up of a chip does, without the service. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MeasureRequest, measureResult } from '../activities/backends/backend.ts';
import { createSimulator } from '../activities/backends/simulator/simulator.ts';
import { executionIdSchema, projectIdSchema } from '../shared/kernel/ids.ts';
import type { Dataset } from '../shared/science/datasets/model.ts';
import { decodeNetcdf } from '../shared/science/datasets/netcdf.ts';
import { analyse } from '../shared/tasks/analyses.ts';
import type { AnalysedInput, Analysis, AnalysisInput } from '../shared/tasks/common/analysis/model.ts';
import { couplingEnds, parameterOf } from '../shared/tasks/coupling-roles.ts';
import type { ResolvedParameter, TaskDefinition } from '../shared/tasks/model.ts';
import { MAX_PASSES, runOfNextPass } from '../shared/tasks/next-pass.ts';
import { resolveRunParameters } from '../shared/tasks/run-parameters.ts';
import { taskNamed } from '../test/support/ids.ts';

/** The simulated device: an ordinary one, at a fixed time, so that it does not drift. */
const SEED = 'expected';
const CHIP = 'chip';
const at = new Date('2026-03-01T00:00:00Z');
/** Both qubits of the coupling are calibrated. */
const QUBITS = ['0', '1'] as const;
const COUPLING = '0-1';

/** The last pass of a task on a target. */
export interface Calibrated {
  input: AnalysisInput;
  analysis: Analysis;
}

export interface BringUp {
  /** Measures a task on a target and stores the values found. @returns null for a task without data */
  calibrate(task: TaskDefinition, qid: string): Promise<Calibrated | null>;
  /** Removes the files of the measurements. */
  remove(): void;
}

/** The targets on which a task is calibrated, the first one being that which pages show. */
export function targetsOf(task: TaskDefinition): readonly string[] {
  return task.taskType === 'coupling' ? [COUPLING] : QUBITS;
}

/** A device of which only the start values are known. Its tasks must be calibrated in the order of the catalog. */
export function createBringUp(): BringUp {
  const simulator = createSimulator({ seed: SEED, now: () => at });
  const artifacts = mkdtempSync(join(tmpdir(), 'calibron-bring-up-'));
  /** Calibration state, by target. */
  const state = new Map<string, Record<string, AnalysedInput>>(
    QUBITS.map((qid) => [qid, { ...simulator.startValues(CHIP, qid, at) }]),
  );
  // The only known value of the pair is the limit of its flux line.
  state.set(COUPLING, { flux_pulse_limit: { value: 0.6, value_type: 'float', unit: 'a.u.' } });

  function inputsOf(task: TaskDefinition, qid: string): Record<string, AnalysedInput> {
    const ends = couplingEnds(qid);
    const inputs: Record<string, AnalysedInput> = {};
    for (const [name, input] of Object.entries(task.inputs)) {
      const from = input.from === undefined || input.from === 'coupling' ? qid : ends?.[input.from];
      const stored = state.get(from ?? qid)?.[parameterOf(name, input)];
      if (stored) inputs[name] = stored;
      else if (input.fallback !== undefined) {
        inputs[name] = { value: input.fallback, unit: input.unit, value_type: input.valueType };
      } else if (input.required) throw new Error(`${task.name} needs ${name}, which no task before it finds`);
    }
    return inputs;
  }

  async function datasetOf(
    task: TaskDefinition,
    qid: string,
    inputs: Record<string, AnalysedInput>,
    run: Record<string, ResolvedParameter>,
  ): Promise<Dataset | null> {
    if (task.kind === 'computed') return { dims: {}, coordinates: {}, variables: {} };
    const request: MeasureRequest = {
      contract: 1,
      project_id: projectIdSchema.parse('project'),
      chip_id: CHIP,
      execution_id: executionIdSchema.parse('20260301-000'),
      epoch: 1,
      task_id: taskNamed(task.name),
      attempt: 1,
      task_name: task.name,
      task_type: task.taskType,
      targets: [qid],
      input_parameters: Object.fromEntries(
        Object.entries(inputs).map(([name, { value, unit, value_type }]) => [
          name,
          { value, unit, value_type },
        ]),
      ),
      run_parameters: run,
      artifact_dir: artifacts,
      deadline: new Date(Date.now() + 3_600_000).toISOString(),
      timeout: 3600,
    };
    const control = { signal: new AbortController().signal, heartbeat: () => {} };
    const answer = measureResult.parse(await simulator.measure(request, control)).targets[qid];
    if (answer?.dataset) return answer.dataset;
    return answer?.dataset_path ? decodeNetcdf(readFileSync(answer.dataset_path)).dataset : null;
  }

  return {
    async calibrate(task, qid) {
      const inputs = inputsOf(task, qid);
      let { parameters } = resolveRunParameters(task, []);
      let found: Calibrated | null = null;
      for (let pass = 0; pass < MAX_PASSES; pass++) {
        const dataset = await datasetOf(task, qid, inputs, parameters);
        if (!dataset) return null;
        const input = { task, qid, dataset, inputs, runParameters: parameters };
        const analysis = analyse(input);
        found = { input, analysis };
        if (analysis.refused === undefined || !analysis.again) break;
        parameters = runOfNextPass(parameters, analysis.again);
      }
      const known = state.get(qid) ?? {};
      for (const [name, { value, error }] of Object.entries(found?.analysis.outputs ?? {})) {
        const declared = task.outputs[name];
        if (declared) known[name] = { value, error, unit: declared.unit, value_type: declared.valueType };
      }
      state.set(qid, known);
      return found;
    },
    remove: () => rmSync(artifacts, { recursive: true, force: true }),
  };
}
