/**
 * Draws the expected figure of each task on a good device. Calibrates the simulated device task by task, as a bring-up
 * does, and writes each task's figure beside its page as `expected.png`. The figures are not part of the repository;
 * without them the pages have none. With task names as arguments, writes only the figures of these tasks.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MeasureRequest, measureResult } from '../activities/backends/backend.ts';
import { createSimulator } from '../activities/backends/simulator/simulator.ts';
import { EXPECTED_FIGURE, knowledgeFolderOf } from '../shared/domain/task-knowledge/rules.ts';
import { projectIdSchema } from '../shared/kernel/ids.ts';
import type { Dataset } from '../shared/science/datasets/model.ts';
import { decodeNetcdf } from '../shared/science/datasets/netcdf.ts';
import { drawPng } from '../shared/science/figures/draw.ts';
import type { Figure } from '../shared/science/figures/model.ts';
import { analyse } from '../shared/tasks/analyses.ts';
import { taskCatalog } from '../shared/tasks/catalog.ts';
import type { AnalysedInput, Analysis } from '../shared/tasks/common/analysis/model.ts';
import { couplingEnds, parameterOf } from '../shared/tasks/coupling-roles.ts';
import { MOST_PASSES, runOfNextPass } from '../shared/tasks/measuring-again.ts';
import type { ResolvedParameter, TaskDefinition } from '../shared/tasks/model.ts';
import { resolveRunParameters } from '../shared/tasks/run-parameters.ts';

const knowledge = fileURLToPath(new URL('../config/task-knowledge', import.meta.url));

/** The simulated device of the figures: an ordinary one, at a fixed time, so that it does not drift. */
const SEED = 'expected';
const CHIP = 'chip';
const at = new Date('2026-03-01T00:00:00Z');
/** Both qubits of the coupling are calibrated. The figures show the first one. */
const QUBITS = ['0', '1'] as const;
const COUPLING = '0-1';

const simulator = createSimulator({ seed: SEED, now: () => at });
const artifacts = mkdtempSync(join(tmpdir(), 'calibron-expected-'));
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
    execution_id: '20260301-000',
    epoch: 1,
    task_id: task.name,
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

/** Measures a task on a target and stores the values found. @returns its figures */
async function calibrate(task: TaskDefinition, qid: string): Promise<Figure[]> {
  const inputs = inputsOf(task, qid);
  let { parameters } = resolveRunParameters(task, []);
  let found: Analysis | undefined;
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const dataset = await datasetOf(task, qid, inputs, parameters);
    if (!dataset) return [];
    found = analyse({ task, qid, dataset, inputs, runParameters: parameters });
    if (found.refused === undefined || !found.again) break;
    parameters = runOfNextPass(parameters, found.again);
  }
  const { outputs = {}, figures = [], refused } = found ?? {};
  if (refused !== undefined) console.warn(`${task.name} on ${qid}: ${refused}`);
  const known = state.get(qid) ?? {};
  for (const [name, { value, error }] of Object.entries(outputs)) {
    const declared = task.outputs[name];
    if (declared) known[name] = { value, error, unit: declared.unit, value_type: declared.valueType };
  }
  state.set(qid, known);
  return figures;
}

/** The figure that shows the values found. */
function telling(figures: readonly Figure[]): Figure | undefined {
  return figures.find(({ layout }) => layout.meta?.figure_role === 'marked') ?? figures[0];
}

async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  const pictures: { file: string; png: Uint8Array }[] = [];
  for (const task of taskCatalog) {
    const targets = task.taskType === 'coupling' ? [COUPLING] : QUBITS;
    const drawn: Figure[][] = [];
    for (const qid of targets) {
      try {
        drawn.push(await calibrate(task, qid));
      } catch (thrown) {
        console.warn(`${task.name} on ${qid}: ${thrown instanceof Error ? thrown.message : thrown}`);
      }
    }
    const figure = telling(drawn[0] ?? []);
    const folder = join(knowledge, knowledgeFolderOf(task));
    if (!figure || !existsSync(folder) || (wanted.length > 0 && !wanted.includes(task.name))) continue;
    pictures.push({ file: join(knowledgeFolderOf(task), EXPECTED_FIGURE), png: drawPng(figure) });
  }
  // Written together at the end, so that either all figures exist or none.
  for (const { file, png } of pictures) {
    writeFileSync(join(knowledge, file), png);
    console.log(file);
  }
}

process.on('exit', () => rmSync(artifacts, { recursive: true, force: true }));
for (const event of ['disconnect', 'SIGTERM'] as const) process.once(event, () => process.exit(1));
// The channel to the parent process must not keep this process alive.
process.channel?.unref();
await main();
