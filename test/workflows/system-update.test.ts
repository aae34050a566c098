import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { UpdateOperation } from '../../shared/domain/system-updates/model.ts';
import { INSTALLATION_LOOK_ID } from '../../shared/domain/system-updates/workflow-model.ts';
import { lockWorkflowId, SYSTEM_UPDATE_ID } from '../../shared/kernel/engine/workflow-ids.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { historyOf, recordedHistories, replay } from '../support/histories.ts';
import { projectNamed } from '../support/ids.ts';
import { type Installation, makeInstallation, type Nature } from '../support/installation.ts';
import {
  eventually,
  type Laboratory,
  type OwnProcess,
  oneStage,
  openLaboratory,
} from '../support/laboratory.ts';

/** Where a test can hold an update, in order: in what git does, and in each command. */
const STEPS = ['git preflight', 'stopping', 'git forward', 'deploying', 'health-check'];

let lab: Laboratory;
let place: Installation;
let updater: OwnProcess;
/** The number of the newest release. */
let released = 1;
/** The newest release that was installed and stayed. */
let installed = 'v1.0.0';

beforeAll(async () => {
  lab = await openLaboratory({ SYSTEM_UPDATES: 'on' });
  place = makeInstallation([{ version: 'v1.0.0' }, { version: 'v1.1.0' }]);
  await startUpdater();
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(await updater.log());
});
afterAll(async () => {
  await updater.kill();
  place.close();
  await lab.close();
});

async function startUpdater(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  updater = await lab.startUpdater({ ...place.settings, ...place.environment, ...settings });
}

/** Signs off one more release. @returns its version */
function release(nature: Nature = 'fine'): string {
  released += 1;
  const version = `v1.${released}.0`;
  place.publish({ version, nature });
  return version;
}

const start = (expected: string | null = null) =>
  lab.areas.systemUpdates.start('ada', { expected_current_version: expected });

async function ended({ operation_id }: UpdateOperation): Promise<UpdateOperation> {
  const operation = await eventually(async () => {
    const read = await lab.areas.systemUpdates.operation(operation_id);
    return read.completed_at !== null && read;
  }, 90_000);
  if (operation.state === 'succeeded') installed = operation.target_version;
  expect(await lab.areas.updateGate.holder(), 'runs may start again').toBeNull();
  return operation;
}

/** Replays the last update, and keeps its history where histories are recorded. */
async function expectReplay(name: string): Promise<void> {
  const bundle = { codePath: await workflowBundle(lab.cache, { updater: true }) };
  const histories = await historyOf(lab, `system-update-${name}`, SYSTEM_UPDATE_ID);
  expect(await replay(bundle, histories)).toEqual([]);
}

const startRun = (project: { projectId: ProjectId; chipId: string }) =>
  lab.startFlow(project, oneStage(['CheckT1'], ['0']));

async function endRuns(projectIds: readonly string[]): Promise<void> {
  for (const projectId of projectIds) {
    const run = lab.engine.client.workflow.getHandle(lockWorkflowId(projectNamed(projectId)));
    await run.terminate().catch(() => undefined);
  }
  await eventually(async () => (await lab.runs.anyOpen()) === null);
}

test('an update goes from stage to stage, and its log shows what was done but no secret', async () => {
  const target = release();
  expect(await lab.areas.systemUpdates.status()).toMatchObject({
    enabled: true,
    current_version: installed,
    latest_version: target,
    update_available: true,
    can_update: true,
    dirty: false,
    blocked_reason: null,
    operation_state: 'idle',
  });
  // Whoever looks asks the remote too.
  for (const step of STEPS.slice(1)) place.hold(step);
  const reached = place.watch();
  const operation = await start(installed);
  expect(operation).toMatchObject({ state: 'queued', progress: 0, target_version: target });
  const way: [string, number][] = [];
  for (const step of STEPS.slice(1)) {
    await reached(step);
    const { stage, state, progress } = await lab.areas.systemUpdates.operation(operation.operation_id);
    expect(state).toBe('running');
    way.push([stage, progress]);
    place.release(step);
  }
  const end = await ended(operation);
  expect([...way, [end.stage, end.progress]]).toEqual([
    ['stopping', 25],
    ['fast-forward', 40],
    ['deploying', 60],
    ['health-check', 90],
    ['complete', 100],
  ]);
  expect(end).toMatchObject({ state: 'succeeded', message: `${target} is installed and healthy.` });
  expect(end.log_tail).toContain(`deploying ${target} fine with the token …`);
  expect(JSON.stringify(end)).not.toContain('very-secret-token');
  expect(await place.served()).toBe(`200 ${target} fine`);
  expect(await lab.areas.systemUpdates.status()).toMatchObject({
    current_version: target,
    update_available: false,
    can_update: false,
    operation_id: operation.operation_id,
    operation_state: 'succeeded',
  });
  await expectReplay('succeeded');
});

describe('a version that fails is taken back, and the one before is healthy', () => {
  test.each([
    { nature: 'unbuildable', cause: 'The deploy command ended with code 3.', line: 'the build failed' },
    {
      nature: 'sick',
      cause: 'It was not healthy after 3 s: the health command ended with code 1.',
      line: 'answers 503',
    },
  ] as const)('when it is $nature', async ({ nature, cause, line }) => {
    const target = release(nature);
    const end = await ended(await start());
    expect(end).toMatchObject({
      state: 'rolled_back',
      stage: 'rolled-back',
      message: `${target} could not be installed: ${cause} ${installed} is back and healthy.`,
    });
    expect(end.log_tail).toContain(line);
    expect(await place.served()).toBe(`200 ${installed} fine`);
    expect(await lab.areas.systemUpdates.status()).toMatchObject({
      current_version: installed,
      dirty: false,
      operation_state: 'rolled_back',
    });
    await expectReplay(nature);
  });
});

test('an update whose workflow was terminated is over, and so is its hold on the gate', async () => {
  release();
  place.hold('deploying');
  const reached = place.watch();
  const operation = await start();
  await reached('deploying');
  await lab.engine.client.workflow.getHandle(SYSTEM_UPDATE_ID).terminate();
  const project = await lab.newProject({ size: 4, blank: true });
  await startRun(project);
  await endRuns([project.projectId]);
  expect(await lab.areas.systemUpdates.operation(operation.operation_id)).toMatchObject({
    state: 'failed',
    stage: 'interrupted',
    completed_at: expect.any(String),
  });
  // With it ends the deploying; the next test starts another one.
  await updater.kill();
  place.release('deploying');
});

test('an updater that is killed in each stage goes on where it was, and does nothing twice that was done', async () => {
  const target = release();
  // The look before the start asks the remote too: its answer is kept, so that only the update itself asks again.
  await updater.kill();
  await startUpdater({ UPDATE_CHECK_SECONDS: '3600' });
  await lab.areas.systemUpdates.status();
  for (const step of STEPS) place.hold(step);
  const before = place.begun().length;
  const reached = place.watch();
  const operation = await start();
  for (const step of STEPS) {
    await reached(step);
    await updater.kill();
    place.release(step);
    await startUpdater();
  }
  expect(await ended(operation)).toMatchObject({ state: 'succeeded', target_version: target });
  expect(await place.served()).toBe(`200 ${target} fine`);
  const begun = place.begun().slice(before);
  for (const step of STEPS.slice(0, -1)) {
    expect(
      begun.filter((each) => each === step),
      step,
    ).toHaveLength(2);
  }
  await expectReplay('killed');
});

test('an updater that is killed on the way back goes on with it', async () => {
  release('unbuildable');
  place.hold('rollback/deploying');
  const reached = place.watch();
  const operation = await start();
  await reached('rollback/deploying');
  expect(await lab.areas.systemUpdates.operation(operation.operation_id)).toMatchObject({
    state: 'rolling_back',
    stage: 'rollback',
    progress: 95,
  });
  await updater.kill();
  place.release('rollback/deploying');
  await startUpdater();
  expect(await ended(operation)).toMatchObject({ state: 'rolled_back' });
  expect(await place.served()).toBe(`200 ${installed} fine`);
});

test('updates that are requested at once become one', async () => {
  release();
  const answers = await Promise.allSettled([start(), start(), start()]);
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused.map(({ reason }) => reason.code)).toEqual(['update_running', 'update_running']);
  for (const answer of answers) if (answer.status === 'fulfilled') await ended(answer.value);
});

test('no update starts while a run is open', async () => {
  release();
  const project = await lab.newProject({ size: 4, blank: true });
  const run = await startRun(project);
  await expect(start()).rejects.toMatchObject({
    code: 'project_busy',
    message: `Execution ${run.execution_id} of the project ${project.projectId} is running. Wait for all runs to end or cancel them, then start the update.`,
  });
  await endRuns([project.projectId]);
  expect(await ended(await start())).toMatchObject({ state: 'succeeded' });
});

test('no run starts while an update runs, and a request is refused with the reason', async () => {
  release();
  const project = await lab.newProject({ size: 4, blank: true });
  place.hold('deploying');
  const reached = place.watch();
  const operation = await start();
  await reached('deploying');
  const why = /^A system update has been running since \d{4}-.*Z\. Start again when it is over\.$/;
  await expect(startRun(project)).rejects.toMatchObject({
    code: 'update_running',
    message: expect.stringMatching(why),
  });
  expect(await lab.runs.availability(project.projectId, { flow_name: null, parameters: {} })).toEqual({
    available: false,
    reason: expect.stringMatching(why),
  });
  expect(await lab.areas.executions.store.open(10)).toEqual([]);
  place.release('deploying');
  await ended(operation);
  await startRun(project);
  await endRuns([project.projectId]);
});

test('of runs and an update that start at the same moment only one kind gets through', async () => {
  release();
  const projects = await Promise.all([1, 2, 3, 4].map(() => lab.newProject({ size: 4, blank: true })));
  const [update, ...runs] = await Promise.allSettled([start(), ...projects.map(startRun)]);
  const begun = runs.filter(({ status }) => status === 'fulfilled').length;
  if (update.status === 'fulfilled') {
    expect(begun).toBe(0);
    await ended(update.value);
  } else {
    expect(begun).toBeGreaterThan(0);
  }
  await endRuns(projects.map(({ projectId }) => projectId));
});

test('no update starts from files that were changed by hand', async () => {
  release();
  appendFileSync(join(place.tree, 'VERSION'), 'changed');
  const reason = 'Files of the working tree were changed by hand. Put them back first.';
  expect(await lab.areas.systemUpdates.status()).toMatchObject({
    dirty: true,
    can_update: false,
    blocked_reason: reason,
  });
  await expect(start()).rejects.toMatchObject({ code: 'update_blocked', message: reason });
  expect(await lab.areas.updateGate.holder()).toBeNull();
  place.git('checkout', '--quiet', 'VERSION');
});

test('no update starts when another version is installed than was expected', async () => {
  await expect(start('v0.9.0')).rejects.toMatchObject({
    code: 'conflict',
    message: `The installed version is ${installed}. Look at the status again, then decide.`,
  });
});

test('if the rollback fails too, the update says that a person must intervene', async () => {
  release('unbuildable');
  place.fallIll();
  expect(await ended(await start())).toMatchObject({
    state: 'failed',
    stage: 'rollback-failed',
    progress: 100,
    message: expect.stringMatching(/Going back to v\S+ failed too: .* An operator has to see to it\.$/),
  });
  await expectReplay('rollback-failed');
});

test('the recorded histories of updates replay with the code of today', async () => {
  const bundle = { codePath: await workflowBundle(lab.cache, { updater: true }) };
  const looked = await historyOf(lab, 'system-update-look', INSTALLATION_LOOK_ID);
  expect(await replay(bundle, [...looked, ...(await recordedHistories('updater'))])).toEqual([]);
});
