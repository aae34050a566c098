import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exemptFromReplay } from '../../scripts/engines/left-histories.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { startWorkers } from '../../workers/workers.ts';
import { changedBundle } from '../support/changed-bundle.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  // Regular looks would come too late for this test.
  lab = await openLaboratory({ RECONCILE_INTERVAL: '3600' });
  await exemptFromReplay(lab.settings.TEMPORAL_NAMESPACE);
});
afterAll(() => lab.close());

test('a worker whose code does not match an open run says so in the run by itself, without a regular look', async () => {
  const code = await readFile(await workflowBundle(lab.cache), 'utf8');
  const begin = 'async function runSteps() {';
  const bundlePath = join(lab.directory, 'earlier.js');
  const another = 'await activities.noteWaiting({ run, waiting: null });';
  await writeFile(bundlePath, changedBundle(code, begin, `${begin} ${another}`));
  const earlier = await startWorkers({
    ...lab,
    db: lab.database.db,
    log: createLog('test', 'SILENT'),
    bundlePath,
    identity: 'earlier release',
  });
  const place = await lab.newProject();
  const { projectId: project_id } = place;
  await lab.setFaults({ rules: [{ behaviour: 'slow', match: { project_id }, seconds: 600 }] });
  const { execution_id } = await lab.startFlow(place, oneStage(['CheckT1'], ['0']));
  await eventually(async () => (await lab.journal(project_id, execution_id)).length > 0);
  await earlier.stop();
  await lab.startWorker();
  const trouble = await eventually(
    async () => (await lab.areas.executions.store.get(project_id, execution_id))?.trouble,
  );
  expect(trouble.for).toMatch(/^stage 0 to continue: its workflow task has failed \d+ times, .*TMPRL1100/);
  await lab.engine.client.workflow.getHandle(lockWorkflowId(project_id)).terminate();
  await lab.engine.client.workflow.getHandle(stageWorkflowId(project_id, execution_id, 0)).terminate();
});
