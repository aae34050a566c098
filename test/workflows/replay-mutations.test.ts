import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { recordedWorkflows } from '../../scripts/release/histories.ts';
import type { StartedRun } from '../../shared/domain/runs/model.ts';
import { stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { changedBundle } from '../support/changed-bundle.ts';
import { commonLaboratory } from '../support/common-laboratory.ts';
import {
  historiesOfRun,
  type NamedHistory,
  recordedHistories,
  recordHistories,
  replay,
} from '../support/histories.ts';
import { eventually, type LabChip, type Laboratory, oneStage } from '../support/laboratory.ts';

let code: string;
/**
 * Histories of stages by name: of two tasks on four targets, of the same where the disk is away at first, so that records
 * are activities that name their targets, and of a measurement whose worker is lost three times.
 */
let histories: Record<'stages' | 'slow' | 'attempts', NamedHistory>;

beforeAll(async () => {
  const lab = await commonLaboratory();
  code = await readFile(await workflowBundle(lab.cache), 'utf8');
  const whole = oneStage(['CheckT1', 'CheckT1'], ['0', '1', '2', '3'], ', parallel: 2');
  const [stages, slow, attempts] = await Promise.all([
    stageOf({ lab, name: 'mutated', flow: whole }),
    stageOf({ lab, name: 'mutated-slow', flow: whole }, withoutDisk),
    stageOf({ lab, name: 'mutated-attempts', flow: oneStage(['CheckT1'], ['0']) }, async ({ projectId }) => {
      await lab.setFaults({ rules: [{ match: { project_id: projectId }, behaviour: 'silent' }] });
    }),
  ]);
  histories = { stages, slow, attempts };

  /** Has a file in place of the project's directory, until the records of the first targets are activities. */
  async function withoutDisk({ projectId }: LabChip) {
    const root = lab.settings.CALIB_DATA_PATH;
    await mkdir(root, { recursive: true });
    await writeFile(join(root, projectId), 'no directory');
    return async ({ execution_id }: StartedRun) => {
      const stage = lab.engine.client.workflow.getHandle(stageWorkflowId(projectId, execution_id, 0));
      await eventually(async () => {
        const description = await stage.describe().catch(() => null);
        return description?.raw.pendingActivities?.some(({ activityId }) => activityId === 'record · 0');
      });
      await rm(join(root, projectId));
    };
  }
});

/** @param prepare makes the surroundings of the run, and may return what to do once it has started */
async function stageOf(
  { lab, name, flow }: { lab: Laboratory; name: string; flow: string },
  prepare?: (place: LabChip) => Promise<((run: StartedRun) => Promise<void>) | void>,
): Promise<NamedHistory> {
  const place = await lab.newProject();
  const started = await prepare?.(place);
  const run = await lab.startFlow(place, flow);
  await started?.(run);
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const [, stage] = await historiesOfRun(lab, name, { ...place, ...run }, [0]);
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
    from: 'for(let attempt = request.attempt;;',
    to: 'for(let attempt = 0;;',
    history: 'attempts',
  },
  {
    change: 'another order of targets',
    from: 'function next() {\n        for (const [target, index] of at){',
    to: 'function next() {\n        for (const [target, index] of [...at].reverse()){',
    history: 'slow',
  },
] as const)('replay notices $change', async ({ from, to, history }) => {
  expect(await replay({ code: changedBundle(code, from, to) }, [histories[history]])).toHaveLength(1);
});

test('once a release has recorded its histories, a change of commands needs a patch', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'calibron-release-'));
  try {
    await recordHistories('1.0.0', [{ ...histories.stages, workflowId: 'made-up' }], folder);
    expect(await recordedWorkflows(join(folder, '1.0.0'))).toEqual(new Set(['stage']));
    const recorded = await recordedHistories('workers', folder);
    const begin = 'async function runSteps() {';
    const another = 'await activities.noteWaiting({ run, waiting: null });';
    const isPatched = "__TEMPORAL_ACTIVATOR__.patchInternal('made-up', false)";
    const unpatched = changedBundle(code, begin, `${begin} ${another}`);
    const patched = changedBundle(code, begin, `${begin} if (${isPatched}) ${another}`);
    expect(await replay({ code: unpatched }, recorded)).toEqual([
      expect.stringMatching(/^1\.0\.0\/made-up\.json: .*nondeterminism/is),
    ]);
    expect(await replay({ code: patched }, recorded)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
