import { randomUUID } from 'node:crypto';
import type { ExecutionDocument } from '../../shared/domain/executions/model.ts';
import type { StoredParameters, TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { taskCatalog } from '../../shared/tasks/catalog.ts';
import { executionNamed, taskNamed, userNamed } from '../../test/support/ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';
import { measuredOutput, storedExecution, storedTask } from '../../test/support/stored-results.ts';
import { UNLIMITED, withApi } from './api-process.ts';
import type { Engines } from './engines.ts';
import type { Figure } from './figure.ts';
import { fillingTime, openFilledLaboratory } from './filled-laboratory.ts';
import { peakMemory } from './memory.ts';
import { answerText, timedGet } from './timed-get.ts';

const CHIP = 'CHIP';
const EXECUTION = '20260102-003';
const INPUTS = 12;
const REPEATS = 5;
/** Rows stored at a time. */
const BATCH = 200;
const owner = { id: userNamed('mia'), username: 'mia' };
const measured = taskCatalog.filter(({ taskType }) => taskType !== 'coupling').map(({ name }) => name);

/**
 * What open pages read of a chip of 1,024 qubits and an execution with almost 60,000 tasks: time to the first byte and to the last,
 * time of an unchanged read, and the memory of the API.
 */
export async function benchPollingLarge(small: boolean, _: Engines, kept: boolean): Promise<Figure[]> {
  const qubits = small ? 64 : 1024;
  const { lab, project, seconds } = await openFilledLaboratory(
    `polling-large-${qubits}`,
    kept,
    (opened, place) => fill(opened, place, qubits),
  );
  try {
    return await withApi(lab, { settings: UNLIMITED, project }, async ({ base, headers, pid }) => {
      const read = (path: string, extra: Record<string, string> = {}) =>
        timedGet(`${base}${path}`, { ...headers, ...extra });
      const detail = `/executions/${EXECUTION}`;
      const figures: Figure[] = [
        { name: `${qubits} qubits, ${qubits * measured.length} tasks, filled`, value: fillingTime(seconds) },
      ];
      for (const { name, path, budget } of [
        { name: "an execution's detail", path: detail, budget: 'first byte ≤ 200 ms, unchanged ≤ 5 ms' },
        {
          name: 'the same without parameters',
          path: `${detail}?fields=task_id,name,qid,status,start_at,end_at`,
          budget: 'first byte ≤ 200 ms, unchanged ≤ 5 ms',
        },
        {
          name: 'latest of a task',
          path: `/task-results/qubits/latest?chip_id=${CHIP}&task=${measured[0]}`,
          budget: 'first byte ≤ 200 ms, unchanged ≤ 5 ms',
        },
        { name: 'muxes', path: `/chips/${CHIP}/muxes`, budget: 'first byte ≤ 200 ms, unchanged ≤ 5 ms' },
        {
          name: 'muxes without parameters',
          path: `/chips/${CHIP}/muxes?fields=task_id,start_at,end_at`,
          budget: 'first byte ≤ 200 ms, unchanged ≤ 5 ms',
        },
      ]) {
        await read(path);
        const { result: whole, memory } = await peakMemory(pid, () => read(path));
        const unchanged: number[] = [];
        for (let turn = 0; turn < REPEATS; turn += 1) {
          const again = await read(path, { 'if-none-match': whole.tag });
          if (again.status !== 304) throw new Error(`${path} returned ${again.status} for its own tag`);
          unchanged.push(again.total);
        }
        figures.push({
          name,
          value: `${answerText(whole, memory)}; unchanged ${Math.min(...unchanged).toFixed(1)} ms`,
          budget,
        });
      }
      return figures;
    });
  } finally {
    await lab.close();
  }
}

async function fill(lab: Laboratory, project: ProjectId, qubits: number): Promise<void> {
  await lab.chips.create(project, 'mia', { chip_id: CHIP, size: qubits, topology_id: null });
  const place = { chip_id: CHIP, execution_id: executionNamed(EXECUTION) };
  const inputs: StoredParameters = Object.fromEntries(
    Array.from({ length: INPUTS }, (__, number) => [
      `input_${number}`,
      measuredOutput(`input_${number}`, number),
    ]),
  );
  const { db } = lab.database;
  await db.collection<ExecutionDocument>('executions').insertOne(storedExecution(project, owner, place));
  const tasks = measured.flatMap((name) => Array.from({ length: qubits }, (__, qubit) => ({ name, qubit })));
  // An execution that ended an hour ago, whose tasks changed last when they ended.
  const began = Date.now() - tasks.length * 100 - 3_600_000;
  const at = (index: number) => new Date(began + index * 100);
  const numbered = tasks.map((task, index) => ({ ...task, index }));
  for (let start = 0; start < numbered.length; start += BATCH) {
    const batch = numbered.slice(start, start + BATCH).map(({ name, qubit, index }) =>
      storedTask(project, owner, {
        ...place,
        task_id: taskNamed(randomUUID()),
        name,
        qid: String(qubit),
        input_parameters: inputs,
        start_at: at(index),
        end_at: at(index + 1),
      }),
    );
    await lab.areas.results.createMany(batch);
    const ids = batch.map(({ task_id }) => task_id);
    await db
      .collection<TaskResultDocument>('task_results')
      .updateMany(
        { project_id: project, task_id: { $in: ids } },
        { $set: { changed_at: at(start + BATCH) } },
      );
  }
}
