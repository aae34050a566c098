import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exemptFromReplay } from '../../scripts/engines/left-histories.ts';
import { workflowPollers } from '../../shared/kernel/engine/pollers.ts';
import {
  CALIBRATION_QUEUE,
  lockWorkflowId,
  stageWorkflowId,
} from '../../shared/kernel/engine/workflow-ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { buildIdOf } from '../../workers/deployment.ts';
import { NotPromoted, promote } from '../../workers/promotion.ts';
import { type RunningWorkers, startWorkers } from '../../workers/workers.ts';
import { changedBundle } from '../support/changed-bundle.ts';
import { expectNobodyHolds, expectNothingLostOrDoubled } from '../support/failure-checks.ts';
import { localActivityOf } from '../support/histories.ts';
import { eventually, type Laboratory, openLaboratory } from '../support/laboratory.ts';

const DEPLOYMENT = 'calibron';
/** Name of workers that have no version. */
const UNVERSIONED = 'without version';
const QIDS = ['0', '1', '2', '3'];
/** Two stages, the first of them long enough to be met open. */
const code = `export async function flow(session) {
  await session.run({ name: 'first', tasks: ['CheckT1'], targets: session.targets.qubits(${JSON.stringify(QIDS)}), parallel: 1 });
  await session.run({ name: 'second', tasks: ['CheckT1'], targets: session.targets.qubits(['0']) });
}
`;

/** Among the engine's kinds of override: the version that it names, and no other. */
const PINNED_OVERRIDE = 1;

interface Version {
  buildId: string;
  workers: RunningWorkers;
}

let lab: Laboratory;
let older: Version;
let newer: Version;
/** Of our own, so that workers of several versions serve one laboratory. */
const running: RunningWorkers[] = [];

async function startVersion(bundle: string): Promise<Version> {
  const buildId = buildIdOf(bundle);
  const bundlePath = join(lab.directory, `${buildId}.js`);
  await writeFile(bundlePath, bundle);
  return { buildId, workers: await start(bundlePath, buildId, DEPLOYMENT) };
}

/** Record keepers under a name of their own, of a version unless there is no deployment. */
async function start(bundlePath: string, identity: string, deployment?: string): Promise<RunningWorkers> {
  const workers = await startWorkers({
    ...lab,
    settings: { ...lab.settings, WORKER_DEPLOYMENT: deployment },
    db: lab.database.db,
    log: createLog('test', 'SILENT'),
    bundlePath,
    identity,
    queues: ['calibration'],
  });
  running.push(workers);
  return workers;
}

/** Workers as they are without WORKER_DEPLOYMENT. */
const startWithoutVersion = async () => start(await workflowBundle(lab.cache), UNVERSIONED);

/** As an operator does who goes away from versions. */
async function makeNoneCurrent(): Promise<void> {
  const { connection, namespace } = lab.engine;
  await connection.workflowService.setWorkerDeploymentCurrentVersion({
    namespace,
    deploymentName: DEPLOYMENT,
    buildId: '',
    identity: 'operator',
    ignoreMissingTaskQueues: true,
  });
}

/** As an operator does who has started the workers: they are known once they have asked for work. */
function makeCurrent({ buildId }: Version): Promise<unknown> {
  return eventually(async () => {
    try {
      return await promote(lab.engine, { deploymentName: DEPLOYMENT, buildId }, 'operator');
    } catch (thrown) {
      if (thrown instanceof NotPromoted) return null;
      throw thrown;
    }
  });
}

/** What a release changes: a stage asks for more without a patch, a run with one, and its last words. */
function nextRelease(bundle: string): string {
  const asksMore = 'await records.noteWaiting({ run, waiting: null });';
  const changes = [
    [
      'async function runSteps() {',
      `async function runSteps() { ${asksMore.replace('records.', 'activities.')}`,
    ],
    ["'The flow ended.'", "'The flow ended in the newer version.'"],
    [
      'const answer = await carryOut(command);',
      `const answer = await carryOut(command); if ((0, _temporalio_workflow__WEBPACK_IMPORTED_MODULE_0__.patched)('of a test')) ${asksMore}`,
    ],
  ] as const;
  return changes.reduce((text, [from, to]) => changedBundle(text, from, to), bundle);
}

beforeAll(async () => {
  lab = await openLaboratory({ SIMULATOR_SECONDS: '0.6' });
  await exemptFromReplay(lab.settings.TEMPORAL_NAMESPACE);
  await lab.startWorker({ WORKER_QUEUES: 'backend:simulator' });
  const bundle = await readFile(await workflowBundle(lab.cache, { versioned: true }), 'utf8');
  older = await startVersion(bundle);
  newer = await startVersion(nextRelease(bundle));
});
afterAll(async () => {
  await Promise.all(running.map((workers) => workers.stop()));
  await lab.close();
});

/** A run that is paused in its first stage, with most of it ahead. */
async function pausedInFirstStage(flow = code) {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, flow);
  await lab.measuring(place.projectId, run.execution_id);
  await lab.runs.control.pause(place.projectId, run.execution_id, 'ada');
  return {
    place,
    execution_id: run.execution_id,
    resume: () => lab.runs.control.resume(place.projectId, run.execution_id, 'ada'),
    /** Waits for its end, at which every task was measured once. */
    async ended() {
      const execution = await lab.ended(place.projectId, run.execution_id);
      expect(execution).toMatchObject({ status: 'completed' });
      expect(await expectNothingLostOrDoubled(lab, place, run.execution_id)).toHaveLength(QIDS.length + 1);
      await expectNobodyHolds(lab, place);
      return execution.message;
    },
    /** The processes that asked the flow for its steps, in order, without repetitions. */
    async planners(): Promise<(string | null | undefined)[]> {
      const { events } = await lab.engine.client.workflow
        .getHandle(lockWorkflowId(place.projectId))
        .fetchHistory();
      const askedBy = (events ?? []).flatMap((event) => {
        const scheduled = event.activityTaskScheduledEventAttributes;
        if (localActivityOf(event) === 'advanceFlowLocally') {
          return [event.markerRecordedEventAttributes?.workflowTaskCompletedEventId];
        }
        // A busy machine may be too slow for the local activity.
        return scheduled?.activityType?.name === 'advanceFlow'
          ? [scheduled.workflowTaskCompletedEventId]
          : [];
      });
      const identities = askedBy.map((id) => {
        const task = (events ?? []).find(({ eventId }) => eventId?.equals(id ?? -1));
        return task?.workflowTaskCompletedEventAttributes?.identity;
      });
      return identities.filter((identity, i) => identity !== identities[i - 1]);
    },
    /** The versions that carried the run and its two stages to their ends. */
    async versions(second = 1) {
      const { projectId } = place;
      const ids = [
        lockWorkflowId(projectId),
        ...[0, second].map((n) => stageWorkflowId(projectId, run.execution_id, n)),
      ];
      return Promise.all(ids.map(versionOf));
    },
  };
}

async function versionOf(workflowId: string): Promise<string | undefined> {
  const { raw } = await lab.engine.client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
}

test('a version that no worker has is not promoted, and the answer says what to do', async () => {
  const unknown = { deploymentName: DEPLOYMENT, buildId: 'none' };
  await expect(promote(lab.engine, unknown, 'operator')).rejects.toThrow(
    /^Version none .* Start its workers first/,
  );
});

test('an open stage goes on in the version that began it, while its run moves on to the one that is promoted', async () => {
  await makeCurrent(older);
  const run = await pausedInFirstStage();
  await makeCurrent(newer);
  await run.resume();
  expect(await run.ended()).toMatch(/^The flow ended in the newer version\./);
  expect(await run.versions()).toEqual([newer.buildId, older.buildId, newer.buildId]);
  expect(await run.planners()).toEqual([older.buildId, newer.buildId]);
});

test('a rollback takes runs back that have done nothing yet by which the versions differ', async () => {
  await makeCurrent(newer);
  const run = await pausedInFirstStage();
  await makeCurrent(older);
  await run.resume();
  expect(await run.ended()).toMatch(/^The flow ended\./);
  expect(await run.versions()).toEqual([older.buildId, newer.buildId, older.buildId]);
});

test('a run that has done by a patch what the older version does not know is pinned before a rollback', async () => {
  await makeCurrent(newer);
  const run = await pausedInFirstStage();
  // The first stage has this qubit behind it.
  const match = { project_id: run.place.projectId, targets: ['0'] };
  await lab.setFaults({ rules: [{ match, behaviour: 'slow', seconds: 3 }] });
  await run.resume();
  // The patch is taken after the first stage.
  await lab.measuring(run.place.projectId, run.execution_id, QIDS.length + 1);
  await lab.engine.connection.workflowService.updateWorkflowExecutionOptions({
    namespace: lab.engine.namespace,
    workflowExecution: { workflowId: lockWorkflowId(run.place.projectId) },
    workflowExecutionOptions: {
      versioningOverride: {
        pinned: {
          version: { deploymentName: DEPLOYMENT, buildId: newer.buildId },
          behavior: PINNED_OVERRIDE,
        },
      },
    },
    updateMask: { paths: ['versioning_override'] },
  });
  await makeCurrent(older);
  expect(await run.ended()).toMatch(/^The flow ended in the newer version\./);
});

test('the engine tells which version is current and of which there are workers', async () => {
  await makeCurrent(newer);
  const versions = [older.buildId, newer.buildId].toSorted();
  await eventually(async () => {
    const seen = await workflowPollers(lab.engine, CALIBRATION_QUEUE);
    return seen.current === newer.buildId && versions.every((version) => seen.versions.includes(version));
  });
  await makeNoneCurrent();
  await eventually(async () => (await workflowPollers(lab.engine, CALIBRATION_QUEUE)).current === null);
});

test('administrators see the versions with workers and open runs, and which runs a rollback would stop', async () => {
  const { deployments } = lab.areas;
  const page = { skip: 0, limit: 100 };
  await makeCurrent(newer);
  const run = await pausedInFirstStage();
  const own = { project_id: run.place.projectId, execution_id: run.execution_id };
  const open = await eventually(async () => {
    const { items } = await deployments.runs(page);
    // The engine's list is some seconds old.
    return items.find(
      ({ execution_id, stages }) => execution_id === own.execution_id && stages[0] !== undefined,
    );
  });
  expect(open).toMatchObject({ ...own, build_id: newer.buildId, is_pinned: false, stages: [newer.buildId] });
  const seen = await deployments.versions(page);
  expect(seen).toMatchObject({ deployment: DEPLOYMENT, current: newer.buildId });
  const [first, ...others] = seen.items;
  expect(first).toMatchObject({ build_id: newer.buildId, state: 'current', open_runs: 1 });
  expect(first?.workers.map(({ identity }) => identity)).toEqual([newer.buildId]);
  expect(others).toContainEqual(expect.objectContaining({ build_id: older.buildId, open_runs: 0 }));
  const stopped = async (rollback_to: string) =>
    (await deployments.runs({ ...page, rollback_to })).items.map(({ rollback }) => rollback?.effect);
  expect(await stopped(newer.buildId)).toEqual([]);
  expect(await stopped(older.buildId)).toEqual(['may_stop']);
  expect(await stopped('gone')).toEqual(['stops']);
  await run.resume();
  await run.ended();
});

test('a single task ends in the version that began it', async () => {
  await makeCurrent(older);
  const place = await lab.newProject();
  await lab.setFaults({ rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds: 3 }] });
  const run = await lab.startTask(place, 'CheckT1', '0');
  await lab.measuring(place.projectId, run.execution_id);
  await makeCurrent(newer);
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('completed');
  expect(await versionOf(lockWorkflowId(place.projectId))).toBe(older.buildId);
});

test('a run that workers without versions began goes on in the first version that is promoted, and so does its stage', async () => {
  await makeNoneCurrent();
  const unversioned = await startWithoutVersion();
  const run = await pausedInFirstStage();
  await makeCurrent(older);
  await unversioned.stop();
  await run.resume();
  expect(await run.ended()).toMatch(/^The flow ended\./);
  expect(await run.versions()).toEqual([older.buildId, older.buildId, older.buildId]);
  expect(await run.planners()).toEqual([UNVERSIONED, older.buildId]);
});

test('a run goes over to workers without versions when those of its version are gone, after the stage that it had open there', async () => {
  await makeCurrent(older);
  const question = "  await session.approval({ question: 'Go on?', deadline_seconds: 60, default: 'no' });\n";
  const run = await pausedInFirstStage(code.replace(/^(?=.*'second')/m, question));
  const unversioned = await startWithoutVersion();
  await makeNoneCurrent();
  await run.resume();
  const { approvals } = lab.areas;
  await eventually(() => approvals.get(run.place.projectId, run.execution_id, 1));
  await older.workers.stop();
  await approvals.answer(run.place.projectId, `${run.execution_id}-1`, 'ada', 'yes');
  expect(await run.ended()).toMatch(/^The flow ended\./);
  expect(await run.versions(2)).toEqual([undefined, older.buildId, undefined]);
  expect(await run.planners()).toEqual([older.buildId, UNVERSIONED]);
  await unversioned.stop();
});
