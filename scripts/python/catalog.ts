/**
 * The task catalog for the Python package: types, inputs with typical values, run parameters, outputs, and the axes and
 * variables that the analyses read, as the simulator measures them. As a program, writes python/src/calibron/catalog.json.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { CONTRACT, type MeasureRequest, measureResult } from '../../activities/backends/backend.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { executionIdSchema, projectIdSchema } from '../../shared/kernel/ids.ts';
import type { Dataset } from '../../shared/science/datasets/model.ts';
import { decodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { taskCatalog } from '../../shared/tasks/catalog.ts';
import type { ResolvedParameters, TaskDefinition } from '../../shared/tasks/model.ts';
import { resolveRunParameters } from '../../shared/tasks/run-parameters.ts';
import { taskNamed } from '../../test/support/ids.ts';

export const pythonCatalogFile = fileURLToPath(
  new URL('../../python/src/calibron/catalog.json', import.meta.url),
);

const SEED = 'python-catalog';
const at = new Date('2026-01-01T00:00:00Z');

/** Values of inputs that bring-up does not leave, without the prefix of a coupling's end. */
const TYPICAL: Readonly<Record<string, number>> = {
  coarse_qubit_frequency: 5,
  coarse_resonator_frequency: 6.5,
  coarse_control_amplitude: 0.0625,
  pi_amplitude: 0.1,
  pi_length: 32,
  drag_hpi_amplitude: 0.1,
  drag_hpi_length: 16,
  drag_hpi_beta: 0.2,
  drag_pi_amplitude: 0.2,
  drag_pi_length: 16,
  drag_pi_beta: 0.2,
  anharmonicity: -0.3,
  ef_frequency: 4.7,
  ef_control_amplitude: 0.05,
  t1_average: 50,
  t2_echo_average: 50,
  thermal_population: 0.02,
  cr_amplitude: 0.3,
  cr_phase: 0.1,
  cancel_amplitude: 0.05,
  cancel_phase: 0.1,
  cancel_beta: 0.1,
  rotary_amplitude: 0,
  zx_rotation_rate: 0.001,
  zx90_gate_time: 300,
  flux_pulse_limit: 1,
  cz_flux_amplitude: 0.5,
  cz_gate_time: 60,
  cz_control_phase: 0.1,
  cz_target_phase: 0.1,
};

function inputsOf(task: TaskDefinition): ResolvedParameters {
  const start = createSimulator({ seed: SEED }).startValues('chip', '0', at);
  return Object.fromEntries(
    Object.entries(task.inputs).map(([name, { unit, valueType, fallback }]) => {
      const plain = name.replace(/^(control|target)_/, '');
      const own = start[name] ?? start[plain];
      const value = own?.value ?? TYPICAL[name] ?? TYPICAL[plain] ?? fallback;
      if (value === undefined) throw new Error(`Add a typical value of ${name}.`);
      return [name, { value, unit, value_type: valueType }];
    }),
  );
}

function requestOf(task: TaskDefinition, directory: string): MeasureRequest {
  const target = task.taskType === 'coupling' ? '0-1' : '0';
  return {
    contract: CONTRACT,
    project_id: projectIdSchema.parse('project'),
    chip_id: 'chip',
    execution_id: executionIdSchema.parse('20260101-001'),
    epoch: 1,
    task_id: taskNamed(task.name),
    attempt: 1,
    task_name: task.name,
    task_type: task.taskType,
    targets: [target],
    input_parameters: inputsOf(task),
    run_parameters: resolveRunParameters(task, []).parameters,
    artifact_dir: directory,
    deadline: at.toISOString(),
    timeout: 3600,
  };
}

/** What the simulator measures for a task; null for tasks without data. */
async function datasetOf(task: TaskDefinition, directory: string): Promise<Dataset | null> {
  if (task.kind === 'computed' || Object.keys(task.outputs).length + task.figures.length === 0) return null;
  const simulator = createSimulator({ seed: SEED, noiseSeed: SEED, now: () => at });
  const control = { signal: new AbortController().signal, heartbeat: () => undefined };
  const { targets } = measureResult.parse(await simulator.measure(requestOf(task, directory), control));
  const [result] = Object.values(targets);
  if (result?.dataset_path !== undefined) return decodeNetcdf(await readFile(result.dataset_path)).dataset;
  return result?.dataset ?? null;
}

async function entryOf(task: TaskDefinition, directory: string) {
  const request = requestOf(task, directory);
  const data = await datasetOf(task, directory);
  const described = (variables: Dataset['variables']) =>
    Object.fromEntries(Object.entries(variables).map(([name, { unit, dims }]) => [name, { unit, dims }]));
  return {
    task_type: task.taskType,
    category: task.category,
    description: task.description,
    scope: task.scope,
    kind: task.kind,
    inputs: request.input_parameters,
    run_parameters: request.run_parameters,
    outputs: Object.fromEntries(
      Object.entries(task.outputs).map(([name, { unit, description, bounds = {} }]) => [
        name,
        { unit, description, ...bounds },
      ]),
    ),
    dataset: data && { coordinates: described(data.coordinates), variables: described(data.variables) },
  };
}

/** The text of the shipped file. */
export async function pythonCatalog(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'calibron-catalog-'));
  try {
    const entries: [string, unknown][] = [];
    for (const task of taskCatalog) entries.push([task.name, await entryOf(task, directory)]);
    return `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync(pythonCatalogFile, await pythonCatalog());
