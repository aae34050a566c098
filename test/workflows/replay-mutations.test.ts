import { readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { workflowBundle } from '../../workers/bundle.ts';
import { changedBundle } from '../support/changed-bundle.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import { historiesOfRun, type NamedHistory, replay } from '../support/histories.ts';
import { type Laboratory, oneStage } from '../support/laboratory.ts';

let code: string;
/** Histories of stages by name: of two tasks on four targets, and of a measurement whose worker is lost three times. */
let histories: Record<'stages' | 'attempts', NamedHistory>;

beforeAll(async () => {
  const lab = await commonLaboratory();
  code = await readFile(await workflowBundle(lab.cache), 'utf8');
  const [stages, attempts] = await Promise.all([
    stageOf(lab, oneStage(['CheckT1', 'CheckT1'], ['0', '1', '2', '3'], ', parallel: 2')),
    stageOf(lab, oneStage(['CheckT1'], ['0']), 'silent'),
  ]);
  histories = { stages, attempts };
});

async function stageOf(lab: Laboratory, flow: string, behaviour?: 'silent'): Promise<NamedHistory> {
  const place = await lab.newProject();
  if (behaviour) await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour }] });
  const run = await lab.startFlow(place, flow);
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const [, stage] = await historiesOfRun(lab, 'mutated', { ...place, ...run }, [0]);
  return stage ?? expect.fail('the run had no stage');
}

test('replay accepts the code that made the histories', async () => {
  expect(await replay({ code }, Object.values(histories))).toEqual([]);
});

test.each([
  {
    change: 'an activity more in a stage',
    from: 'async function runSteps() {',
    to: 'async function runSteps() { await activities.noteWaiting({ run, waiting: null });',
    history: 'stages',
  },
  {
    change: 'one attempt less of a measurement that is lost',
    from: 'LOST_REPEATS = 2',
    to: 'LOST_REPEATS = 1',
    history: 'attempts',
  },
  {
    change: 'attempts that count from 0',
    from: 'for(let attempt = 1;;',
    to: 'for(let attempt = 0;;',
    history: 'attempts',
  },
  {
    change: 'another order of targets',
    from: 'function next() {\n        for (const [target, index] of at){',
    to: 'function next() {\n        for (const [target, index] of [...at].reverse()){',
    history: 'stages',
  },
] as const)('replay notices $change', async ({ from, to, history }) => {
  expect(await replay({ code: changedBundle(code, from, to) }, [histories[history]])).toHaveLength(1);
});
