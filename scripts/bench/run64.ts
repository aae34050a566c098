import { join } from 'node:path';
import { openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import type { Engines } from './engines.ts';
import type { Figure } from './figure.ts';
import { peakMemory } from './memory.ts';
import { processorTimes } from './processor-time.ts';
import { partsOf } from './run64-parts-process.ts';

const QUBITS = 64;
const QUBITS_IN_SMALL = 4;

/** One-qubit check, then fine-tuning of the qubits that passed. */
const FLOW = `export async function flow(session) {
  const check = await session.oneQubitCheck(session.targets.all(), { mode: 'simultaneous' });
  await session.oneQubitFineTune(check.passed, { mode: 'simultaneous' });
}
`;

/**
 * Check and fine-tuning of 64 qubits on the simulator, with fits, and a breakdown of the processor time. During the run
 * figures are only described; they are drawn afterwards. `small` only checks that the benchmark works.
 */
export async function benchRun64(small: boolean, { pids }: Engines): Promise<Figure[]> {
  const size = small ? QUBITS_IN_SMALL : QUBITS;
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10', RECONCILE_INTERVAL: '60' });
  try {
    const worker = await lab.startWorker(processMemory);
    const place = await lab.newProject({ size });
    const started = Date.now();
    const processes = { ...pids, worker: worker.pid };
    const { result, used } = await processorTimes(processes, () =>
      peakMemory(worker.pid, async () => {
        const run = await lab.startFlow(place, FLOW);
        const execution = await lab.ended(place.projectId, run.execution_id, 1_200_000);
        return { run, execution, seconds: (Date.now() - started) / 1000 };
      }),
    );
    const { memory } = result;
    const { run, execution, seconds } = result.result;
    const tasks = await lab.tasksOf(place.projectId, run.execution_id);
    const figures = tasks.reduce((sum, task) => sum + task.figure_path.length, 0);
    const parts = await partsOf({
      rows: tasks,
      directory: join(lab.directory, 'parts'),
      dataRoot: lab.settings.CALIB_DATA_PATH,
    });
    const computed = Object.values(parts).reduce((sum, part) => sum + part, 0);
    const spent = (name: string, time: number): Figure => ({
      name: `  ${name}`,
      value: `${time.toFixed(1)} s`,
    });
    return [
      {
        name: `${size} qubits, check and fine-tune: ${execution.message}`,
        value: `${seconds.toFixed(1)} s`,
        budget: '≤ 45 s',
      },
      { name: 'processor time', value: '' },
      ...Object.entries(used).map(([name, time]) =>
        name === 'worker' ? { ...spent(name, time), budget: '≤ 55 s' } : spent(name, time),
      ),
      { name: "the worker's, by what it was for", value: '' },
      ...Object.entries(parts).map(([name, time]) => spent(name, time)),
      spent('record and the rest', (used['worker'] ?? 0) - computed),
      { name: `tasks (${tasks.length}) a second`, value: (tasks.length / seconds).toFixed(1) },
      { name: 'figures described', value: String(figures) },
      { name: 'memory of the worker at most', value: `${memory.toFixed(0)} MB`, budget: '≤ 450 MB' },
    ];
  } finally {
    await lab.close();
  }
}
