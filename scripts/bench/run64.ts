import { openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import type { Figure } from './figure.ts';
import { peakMemory } from './memory.ts';

const QUBITS = 64;

/** One-qubit check, then fine-tune on the qubits that passed. */
const FLOW = `export async function flow(session) {
  const check = await session.oneQubitCheck(session.targets.all(), { mode: 'simultaneous' });
  await session.oneQubitFineTune(check.passed, { mode: 'simultaneous' });
}
`;

/** 64 qubits through check and fine-tune on the simulator, with fits and figures. */
export async function benchRun64(): Promise<Figure[]> {
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10', RECONCILE_INTERVAL: '60' });
  try {
    const worker = await lab.startWorker(processMemory);
    const place = await lab.newProject({ size: QUBITS });
    const started = Date.now();
    const { result, memory } = await peakMemory(worker.pid, async () => {
      const run = await lab.startFlow(place, FLOW);
      const execution = await lab.ended(place.projectId, run.execution_id, 600_000);
      return { run, execution, seconds: (Date.now() - started) / 1000 };
    });
    const { run, execution, seconds } = result;
    const tasks = await lab.tasksOf(place.projectId, run.execution_id);
    const figures = tasks.reduce((sum, task) => sum + task.figure_path.length, 0);
    return [
      {
        name: `64 qubits, check and fine-tune: ${execution.message}`,
        value: `${seconds.toFixed(1)} s`,
        budget: '< 120 s',
      },
      { name: `tasks (${tasks.length}) a second`, value: (tasks.length / seconds).toFixed(1) },
      { name: 'figures', value: String(figures) },
      { name: 'memory of the worker at most', value: `${memory.toFixed(0)} MB`, budget: '< 700 MB' },
    ];
  } finally {
    await lab.close();
  }
}
