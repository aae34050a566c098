import { beforeAll, expect, test } from 'vitest';
import type { FaultPlan } from '../../activities/backends/simulator/faults.ts';
import type { JournalEntry } from '../../activities/backends/simulator/journal.ts';
import { createPlans } from '../../activities/record/plans.ts';
import { createStageActivities } from '../../activities/stages.ts';
import type { FlowCommandDocument } from '../../shared/domain/executions/model.ts';
import { stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { executionNamed } from '../support/ids.ts';
import { type Laboratory, oneStage, runOf } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  // Small, so that the stages continue as new between and inside of steps.
  lab = await commonLaboratory({ historyLimit: 80 });
});

/** Positions in the journal at which the measurements of a target begin and end. */
function spanOf(journal: readonly JournalEntry[], target: string): { from: number; to: number } {
  const places = journal.flatMap((entry, place) => (entry.targets.includes(target) ? [place] : []));
  return { from: Math.min(...places), to: Math.max(...places) };
}

test('steps follow each other, lanes go side by side, the targets of a lane one after another', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 0.05 }],
  });
  const schedule = [[['0', '1'], ['4', '5'], ['8']], [['2'], ['6', '3']], [['7']]];
  const targets = schedule.flat(2);
  const code = oneStage(
    ['CheckRabi', 'CheckT1'],
    targets,
    `, parallel: 3, schedule: ${JSON.stringify(schedule)}`,
  );
  const run = await lab.startFlow(place, code);
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.message).toBe('The flow ended. 18 of 18 tasks completed.');
  const journal = await lab.journal(place.projectId, run.execution_id);
  expect(journal.filter((entry) => entry.event === 'start')).toHaveLength(18);
  const span = (target: string) => spanOf(journal, target);
  for (const lane of schedule.flat()) {
    for (const [index, target] of lane.entries()) {
      const before = lane[index - 1];
      if (before) expect(span(target).from, `${target} after ${before}`).toBeGreaterThan(span(before).to);
    }
  }
  for (const [index, step] of schedule.entries()) {
    const before = schedule[index - 1];
    if (!before) continue;
    const last = Math.max(...before.flat().map((target) => span(target).to));
    expect(Math.min(...step.flat().map((target) => span(target).from))).toBeGreaterThan(last);
  }
  // Lanes do not wait for each other: each begins long before the first has made its four measurements.
  for (const first of ['4', '8']) expect(span(first).from).toBeLessThan(span('1').to);
  const chain = await lab.engine.client.workflow
    .getHandle(stageWorkflowId(place.projectId, run.execution_id, 0))
    .describe();
  expect(chain.raw.workflowExecutionInfo?.firstRunId).not.toBe(chain.runId);
});

/** What was measured of a stage whose mux is in two steps of its schedule, in order of time. */
async function measuredInTwoSteps(tasks: string[], defects: FaultPlan['defects'] = []) {
  const place = await lab.newProject({ blank: true });
  await lab.setFaults({ rules: [], defects });
  const schedule = [
    [['0'], ['1']],
    [['2'], ['3']],
  ];
  const run = await lab.startFlow(
    place,
    oneStage(tasks, schedule.flat(2), `, schedule: ${JSON.stringify(schedule)}`),
  );
  const { message } = await lab.ended(place.projectId, run.execution_id);
  const starts = (await lab.journal(place.projectId, run.execution_id)).filter(
    ({ event }) => event === 'start',
  );
  await lab.setFaults({ rules: [] });
  return {
    message,
    rows: await lab.tasksOf(place.projectId, run.execution_id),
    measured: starts.map(({ task_name, targets }) => `${task_name} ${targets.join(' ')}`),
  };
}

test('a mux that is in two steps is measured once, in the first, for all of them', async () => {
  const { message, measured, rows } = await measuredInTwoSteps([
    'CheckResonatorSpectroscopy',
    'CheckReflectionCoefficient',
  ]);
  expect(message).toBe('The flow ended. 8 of 8 tasks completed.');
  expect(measured[0]).toBe('CheckResonatorSpectroscopy 0 1 2 3');
  expect(measured.slice(1, 3).sort()).toEqual([0, 1].map((qid) => `CheckReflectionCoefficient ${qid}`));
  expect(measured.slice(3).sort()).toEqual([2, 3].map((qid) => `CheckReflectionCoefficient ${qid}`));
  const first = rows.find(({ qid, index }) => qid === '3' && index === 0);
  expect(rows.find(({ qid, index }) => qid === '3' && index === 1)?.upstream_id).toBe(first?.task_id);
});

test('a qubit of a later step that failed in the measurement of its mux is not measured on', async () => {
  const { message, measured, rows } = await measuredInTwoSteps(
    ['CheckResonatorSpectroscopy', 'CheckReflectionCoefficient'],
    [{ qids: ['3'], defect: 'no_resonator' }],
  );
  expect(message).toBe('The flow ended. 6 of 8 tasks completed, 1 failed, 1 skipped.');
  // Its line may be too narrow for the first sweep, so it alone gets a finer one.
  expect(measured.filter((each) => each.startsWith('CheckResonatorSpectroscopy'))).toEqual([
    'CheckResonatorSpectroscopy 0 1 2 3',
    'CheckResonatorSpectroscopy 3',
  ]);
  expect(measured).not.toContain('CheckReflectionCoefficient 3');
  const of3 = rows.filter(({ qid }) => qid === '3');
  expect(of3.map(({ index, status }) => `${index} ${status}`).sort()).toEqual(['0 failed', '1 skipped']);
});

test('a task of a mux that comes later in the list is measured in each step, for those who came there', async () => {
  const { message, measured } = await measuredInTwoSteps([
    'CheckElectricalDelay',
    'CheckResonatorSpectroscopy',
  ]);
  expect(message).toBe('The flow ended. 8 of 8 tasks completed.');
  expect(measured.filter((each) => each.startsWith('CheckResonatorSpectroscopy'))).toEqual([
    'CheckResonatorSpectroscopy 0 1',
    'CheckResonatorSpectroscopy 2 3',
  ]);
});

test('the schedule of 1,984 couplings is read in parts that are small, and none of them is lost', async () => {
  const place = await lab.newProject({ blank: true });
  const couplings = Array.from({ length: 1984 }, (_, number) => `${(number * 7) % 1024}-${number % 1024}`);
  const run = { ...runOf(place, executionNamed('20260102-000')), epoch: 1, flow_run_id: newId() };
  const step = (index: number, schedule?: string[][][]): FlowCommandDocument => ({
    _id: keyOf(place.projectId, run.execution_id, index),
    project_id: place.projectId,
    execution_id: run.execution_id,
    index,
    kind: 'stage',
    name: 'pairs',
    command: null,
    tasks: [{ name: 'CheckZX90', scope: 'target', run_parameters: {}, input_overrides: {} }],
    targets: couplings,
    parallel: null,
    schedule,
    status: 'planned',
    summary: null,
    answered_at: null,
    created_at: new Date(),
  });
  await lab.areas.executions.commands.plan(step(0));
  await lab.areas.executions.commands.plan(
    step(1, [couplings.slice(0, 1500).map((id) => [id]), [couplings.slice(1500)]]),
  );
  const { openStage } = createStageActivities({
    areas: lab.areas,
    plans: createPlans({ areas: lab.areas, findTask }),
    recordUndelivered: async () => {},
  });
  for (const stage of [0, 1]) {
    const read: string[] = [];
    for (let step = 0, steps = 1; step < steps; step += 1) {
      for (let lane: number | null = 0; lane !== null; ) {
        const part = await openStage({ run, stage, step, lane });
        expect(part).toMatchObject({ targets: 1984, steps: stage + 1, scopes: ['target'] });
        // A lane is not divided: its targets follow each other.
        if (part.lanes.length > 1) expect(JSON.stringify(part).length).toBeLessThan(16 * 1024);
        read.push(...part.lanes.flat());
        steps = part.steps;
        lane = part.next;
      }
    }
    expect(read).toEqual(couplings);
  }
});

test('the summary of a stage holds counts, yields and the values of each target', async () => {
  const place = await lab.newProject();
  await lab.setFaults({
    rules: [
      { match: { project_id: place.projectId, task_name: 'CheckT1', targets: ['1'] }, behaviour: 'error' },
    ],
  });
  const run = await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1', 'CheckT2Echo'], ['0', '1', '2']));
  await lab.ended(place.projectId, run.execution_id);
  const step = await lab.areas.executions.commands.get(place.projectId, run.execution_id, 0);
  expect(step?.summary).toMatchObject({
    counts: { completed: 7, failed: 1, skipped: 1, cancelled: 0, total: 9 },
    passed: ['0', '2'],
    failed: [{ target: '1', task: 'CheckT1' }],
    yields: [
      { task: 'CheckRabi', completed: 3, failed: 0, skipped: 0, cancelled: 0, yield: 1 },
      { task: 'CheckT1', completed: 2, failed: 1, skipped: 0, cancelled: 0, yield: 2 / 3 },
      { task: 'CheckT2Echo', completed: 2, failed: 0, skipped: 1, cancelled: 0, yield: 1 },
    ],
    metrics_truncated: false,
  });
  const t1 = step?.summary?.metrics?.['t1'];
  expect(Object.keys(t1?.values ?? {})).toEqual(['0', '2']);
  const row = (await lab.tasksOf(place.projectId, run.execution_id)).find(
    (task) => task.name === 'CheckT1' && task.qid === '2',
  );
  expect(t1).toMatchObject({
    unit: 'us',
    values: {
      2: { value: row?.output_parameters['t1']?.value, error: row?.output_parameters['t1']?.error },
    },
  });
  // A flow's planner reads all steps again and again: the values stay out of them.
  const [read] = await lab.areas.executions.commands.ofExecution(place.projectId, run.execution_id);
  expect(read?.summary?.metrics).toBeUndefined();
  const execution = await lab.areas.executions.store.get(place.projectId, run.execution_id);
  expect(execution?.note.stages).toEqual({
    '1 check': { completed: 7, failed: 1, skipped: 1, cancelled: 0, total: 9 },
  });
});
