/** Process of the 64-qubit benchmark: analyses the run that it receives as a message. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTRACT, type MeasureRequest } from '../../activities/backends/backend.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { decodeNetcdf, encodeNetcdf } from '../../shared/science/datasets/netcdf.ts';
import { analyse } from '../../shared/tasks/analyses.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import type { ResolvedParameters } from '../../shared/tasks/model.ts';

/** The parts of a worker's computation for a task, without its records. */
const PARTS = ['simulate', 'encode', 'fit', 'files'] as const;
export type SpentOnParts = Record<(typeof PARTS)[number], number>;

/** Results of a run whose files exist below `dataRoot`, and a directory for output. */
export interface RequestedRun {
  rows: readonly TaskResultDocument[];
  directory: string;
  dataRoot: string;
}

/** Sampled results per kind of task. The others are extrapolated from these. */
const SAMPLES = 4;

/**
 * Seconds of processor time that the parts of a run take in its worker. Repeats the parts one by one in this process, on
 * the run's own data, for some results of each kind of task.
 */
async function partsOf({ rows, directory, dataRoot }: RequestedRun): Promise<SpentOnParts> {
  await mkdir(directory, { recursive: true });
  const sum: SpentOnParts = { simulate: 0, encode: 0, fit: 0, files: 0 };
  const measured = rows.filter(({ raw_data_path }) => raw_data_path.length > 0);
  for (const name of new Set(measured.map((row) => row.name))) {
    const ofKind = measured.filter((row) => row.name === name);
    const samples = ofKind.slice(0, SAMPLES);
    // Warm-up: the first pass includes JIT compilation.
    for (const row of samples.slice(0, 1)) await goThrough(row, { directory, dataRoot });
    for (const row of samples) {
      const spent = await goThrough(row, { directory, dataRoot });
      for (const part of PARTS) sum[part] += (spent[part] * ofKind.length) / samples.length;
    }
  }
  return sum;
}

async function goThrough(
  row: TaskResultDocument,
  { directory, dataRoot }: Omit<RequestedRun, 'rows'>,
): Promise<SpentOnParts> {
  const spent: SpentOnParts = { simulate: 0, encode: 0, fit: 0, files: 0 };
  async function part<T>(name: keyof SpentOnParts, step: () => T | Promise<T>): Promise<T> {
    const before = process.cpuUsage();
    const result = await step();
    const { user, system } = process.cpuUsage(before);
    spent[name] += (user + system) / 1e6;
    return result;
  }
  const task = findTask(row.name);
  const file = row.raw_data_path.at(-1);
  if (!task || !file) throw new Error(`${row.name} cannot be gone through again`);
  const { dataset } = decodeNetcdf(await readFile(join(dataRoot, file)));
  const inputs: ResolvedParameters = Object.fromEntries(
    Object.entries(row.input_parameters).flatMap(([name, { value, unit, value_type, error }]) =>
      value === null ? [] : [[name, { value, unit, value_type, error } as const]],
    ),
  );
  const request: MeasureRequest = {
    contract: CONTRACT,
    project_id: row.project_id,
    chip_id: row.chip_id,
    execution_id: row.execution_id,
    epoch: 1,
    task_id: row.task_id,
    attempt: 1,
    task_name: row.name,
    task_type: row.task_type,
    targets: [row.qid],
    input_parameters: inputs,
    run_parameters: row.run_parameters,
    artifact_dir: directory,
    deadline: new Date(Date.now() + 3_600_000).toISOString(),
    timeout: 3600,
  };
  const simulator = createSimulator({});
  const unheard = { signal: new AbortController().signal, heartbeat: () => {} };
  await part('simulate', () => simulator.measure(request, unheard));
  const raw = await part('encode', () => encodeNetcdf(dataset, {}));
  const { figures } = await part('fit', () =>
    analyse({ task, qid: row.qid, dataset, inputs, runParameters: row.run_parameters }),
  );
  const contents = [raw, ...figures.map((figure) => JSON.stringify(figure))];
  await part('files', async () => {
    for (const [index, content] of contents.entries()) {
      await replaceFile(join(directory, String(index)), content);
    }
  });
  return spent;
}

process.once('message', async (requested: RequestedRun) => {
  process.send?.(await partsOf(requested));
});
