import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { domain } from '../../shared/domain/areas.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { checkPromotion, type PromotionCheckDependencies } from '../../workers/promotion-check.ts';
import { changedBundle } from '../support/changed-bundle.ts';
import { executionNamed } from '../support/ids.ts';
import {
  eventually,
  type LabChip,
  type Laboratory,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';

let lab: Laboratory;
let place: LabChip;
let execution: string;
/** A run in the middle of its stage. */
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
  place = await lab.newProject();
  const { projectId: project_id } = place;
  await lab.setFaults({ rules: [{ behaviour: 'slow', match: { project_id }, seconds: 600 }] });
  execution = (await lab.startFlow(place, oneStage(['CheckRabi', 'CheckT1'], ['0']))).execution_id;
  await eventually(async () => (await lab.journal(project_id, executionNamed(execution))).length > 0);
});
afterAll(async () => {
  await lab.setFaults({ rules: [] });
  await lab.engine.client.workflow.getHandle(lockWorkflowId(place.projectId)).cancel();
  await lab.ended(place.projectId, executionNamed(execution));
  await lab.close();
});

async function check(release: Partial<PromotionCheckDependencies> = {}) {
  try {
    return await checkPromotion({
      engine: lab.engine,
      db: lab.database.db,
      executions: lab.areas.executions,
      bundlePath: await workflowBundle(lab.cache),
      findTask,
      collections: domain.collections,
      ...release,
    });
  } finally {
    // A replay runs workflow code in this very thread, and its hook would evaluate code at each promise of every later test.
    globalHandlers.uninstall();
  }
}

test('a release that changes nothing lets all open runs continue', async () => {
  const { replayed, mismatches, waits, indexes } = await check();
  expect(replayed).toBeGreaterThanOrEqual(2);
  expect([mismatches, waits, indexes]).toEqual([[], [], []]);
});

test('workflow code that does not match an open run is named with the workflow', async () => {
  const code = await readFile(await workflowBundle(lab.cache), 'utf8');
  const begin = 'async function runSteps() {';
  const bundlePath = join(lab.directory, 'next.js');
  const another = 'await activities.noteWaiting({ run, waiting: null });';
  await writeFile(bundlePath, changedBundle(code, begin, `${begin} ${another}`));
  const { mismatches } = await check({ bundlePath });
  expect(mismatches).toHaveLength(1);
  expect(mismatches[0]).toContain(
    `${stageWorkflowId(place.projectId, executionNamed(execution), 0)} does not match this release`,
  );
});

test('planned tasks and run parameters that the release lacks are named with their run', async () => {
  const { waits } = await check({
    findTask(name) {
      const definition = findTask(name);
      if (name === 'CheckT1' || !definition) return undefined;
      const { shots: _shots, ...runParameters } = definition.runParameters;
      return { ...definition, runParameters };
    },
  });
  const where = `Execution ${execution} of project ${place.projectId}: stage`;
  expect(waits).toEqual([
    expect.stringMatching(
      `${where} .* plans CheckRabi with the run parameter shots, which this release does not have.`,
    ),
    expect.stringMatching(
      `${where} .* plans CheckT1, which this release does not have. The run would wait there.`,
    ),
  ]);
});

test('indexes that the release changes are named', async () => {
  const collections = domain.collections.map((each) =>
    each.collection === 'executions'
      ? { ...each, indexes: [...each.indexes, { name: 'made_up', key: { made_up: 1 } as const }] }
      : each,
  );
  expect((await check({ collections })).indexes).toEqual([
    'Indexes of executions: this release builds made_up.',
  ]);
});
