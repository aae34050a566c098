import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCommand, planTask } from '../../../activities/planning.ts';
import { createMuxSharing } from '../../../activities/record/mux-sharing.ts';
import { newTaskRow } from '../../../activities/record/preparing.ts';
import type { TaskResultDocument } from '../../../shared/domain/results/model.ts';
import { NO_TASK, type TaskId } from '../../../shared/kernel/ids.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { executionNamed, taskNamed } from '../../support/ids.ts';
import { type Laboratory, openLaboratory, runOf } from '../../support/laboratory.ts';

let lab: Laboratory;
let share: ReturnType<typeof createMuxSharing>;
beforeAll(async () => {
  lab = await openLaboratory();
  share = createMuxSharing(lab);
});
afterAll(() => lab.close());

const MUX_TASK = 'CheckResonatorSpectroscopy';
const steps = [
  [['0'], ['1'], ['4']],
  [['2'], ['3'], ['5']],
];

/** A stage with these tasks on two multiplexers, of which `qubits` have results of another measurement. */
async function stageWith(
  tasks: string[],
  schedule: string[][][],
  results: { qid: string; index?: number; status: TaskResultDocument['status']; task_id?: TaskId }[] = [],
) {
  const place = await lab.newProject({ blank: true });
  const run = { ...runOf(place, executionNamed('20260102-000')), epoch: 1, flow_run_id: newId() };
  const definitions = tasks.map((name) => findTask(name) ?? expect.fail(`no task ${name}`));
  const planned = definitions.map((definition) => planTask(definition, []).task);
  const targets = schedule.flat(2);
  const command = { kind: 'stage' as const, name: 'lines', tasks: [{ name: MUX_TASK }], targets, schedule };
  const plan = newCommand(run, 0, command, planned);
  await lab.areas.results.createMany(
    results.map(({ qid, index = 0, status, task_id = newId() }) => {
      const definition = definitions[index] ?? expect.fail('no such task');
      const task = { definition, planned: planned[index] ?? expect.fail('no such task') };
      const at = {
        run,
        stage: 0,
        target: qid,
        index,
        task_id: taskNamed(task_id),
        upstream_id: NO_TASK,
      };
      return { ...newTaskRow(at, task, null, new Date()), status };
    }),
  );
  return (targets: string[], index = 0) =>
    share(plan, { run, stage: 0, index, targets, rowId: (target) => `mine-${target}` });
}

test('covers the mates of later steps, of the same multiplexer only', async () => {
  const ask = await stageWith([MUX_TASK], steps);
  expect(await ask(['0', '1'])).toEqual({ measured: ['0', '1', '2', '3'] });
  expect(await ask(['4'])).toEqual({ measured: ['4', '5'] });
});

test('covers its own targets where there are no later steps, or other tasks come before', async () => {
  const alone = await stageWith([MUX_TASK], [[['0'], ['1']]]);
  expect(await alone(['0'])).toEqual({ measured: ['0'] });
  const later = await stageWith(['CheckT1', MUX_TASK], steps);
  expect(await later(['0', '1'], 1)).toEqual({ measured: ['0', '1'] });
});

test('takes what an earlier step found; a target that failed there goes no further', async () => {
  const ask = await stageWith([MUX_TASK], steps, [
    { qid: '0', status: 'completed' },
    { qid: '1', status: 'failed' },
    { qid: '2', status: 'completed' },
    { qid: '3', status: 'failed' },
  ]);
  expect(await ask(['2', '3'])).toEqual({ passed: ['2'] });
});

test('prepared again after the death of a worker covers the same', async () => {
  const mine = ['0', '1', '2', '3'].map((qid) => ({
    qid,
    status: 'running' as const,
    task_id: taskNamed(`mine-${qid}`),
  }));
  const ask = await stageWith([MUX_TASK], steps, mine);
  expect(await ask(['0', '1'])).toEqual({ measured: ['0', '1', '2', '3'] });
});

test('is made again where a reset of the stage cut the first one off', async () => {
  const cut = ['0', '1', '2', '3'].map((qid) => ({ qid, status: 'running' as const }));
  const ask = await stageWith([MUX_TASK], steps, cut);
  expect(await ask(['0', '1'])).toEqual({ measured: ['0', '1', '2', '3'] });
});

test('covers of later steps only those who passed what leads the list before it', async () => {
  const ask = await stageWith([MUX_TASK, MUX_TASK], steps, [
    { qid: '0', status: 'completed' },
    { qid: '1', status: 'completed' },
    { qid: '2', status: 'failed' },
    { qid: '3', status: 'completed' },
  ]);
  expect(await ask(['0', '1'], 1)).toEqual({ measured: ['0', '1', '3'] });
});
