import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { z } from 'zod';
import { dataConverter } from '../../shared/kernel/engine/temporal.ts';
import { lockWorkflowId, stageWorkflowId } from '../../shared/kernel/engine/workflow-ids.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import type { Laboratory } from './laboratory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = join(root, 'test/histories');
/** The release under which `npm run release` stores the histories of this test run. */
const recordedRelease = process.env['RECORD_HISTORIES'];
/** The links of a long chain are alike: a run and two of them are enough to keep. */
const KEPT = 3;

export interface NamedHistory {
  /** Of a recorded one its path under test/histories. */
  workflowId: string;
  history: ReturnType<typeof historyFromJSON>;
}

/** Replays histories with a bundle. @returns what is wrong, by workflow */
export async function replay(
  bundle: { codePath: string } | { code: string },
  histories: readonly NamedHistory[],
): Promise<string[]> {
  const failures: string[] = [];
  const results = Worker.runReplayHistories({ workflowBundle: bundle, dataConverter }, histories);
  try {
    for await (const { workflowId, error } of results) {
      if (error) failures.push(`${workflowId}: ${error.message}`);
    }
  } finally {
    // A replay runs workflow code in this very thread, and its hook would evaluate code at each promise of every later test.
    globalHandlers.uninstall();
  }
  return failures;
}

/**
 * The recorded histories of every release: of the workflows of the workers, or of the updater's.
 * @param folder one subfolder per release
 */
export async function recordedHistories(
  program: 'workers' | 'updater' = 'workers',
  folder = directory,
): Promise<NamedHistory[]> {
  // Before the first release there are none.
  const recorded = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = recorded.filter(
    (path) => path.endsWith('.json') && path.includes('/system-update-') === (program === 'updater'),
  );
  return Promise.all(
    paths.sort().map(async (path) => ({
      workflowId: path,
      history: historyFromJSON(JSON.parse(await readFile(join(folder, path), 'utf8'))),
    })),
  );
}

/** Stores histories as those of a release. Fails if one is there already, because a release never changes. */
export async function recordHistories(
  release: string,
  histories: readonly NamedHistory[],
  folder = directory,
): Promise<void> {
  await mkdir(join(folder, release), { recursive: true });
  for (const { workflowId, history } of histories.slice(0, KEPT)) {
    // Stack traces contain local paths. A replay does not use them.
    const text = historyToJSON(history).replaceAll(root, '/calibron/');
    await writeFile(join(folder, release, `${workflowId}.json`), text, { flag: 'wx' });
  }
}

/** Stores histories if `npm run release` is recording. */
async function keep(histories: readonly NamedHistory[]): Promise<void> {
  if (recordedRelease) await recordHistories(recordedRelease, histories);
}

/** The history of a workflow other than a calibration: of its newest run by default. */
export async function historyOf(
  lab: Laboratory,
  name: string,
  workflowId: string,
  runId?: string,
): Promise<NamedHistory[]> {
  const history = await lab.engine.client.workflow.getHandle(workflowId, runId).fetchHistory();
  const found = [{ workflowId: name, history }];
  await keep(found);
  return found;
}

/** Histories of a run and of every run in the chain of each of its stages. */
export async function historiesOfRun(
  lab: Laboratory,
  name: string,
  run: { projectId: ProjectId; execution_id: ExecutionId; flow_run_id: string },
  stages: readonly number[],
): Promise<NamedHistory[]> {
  const { workflow } = lab.engine.client;
  const history = await workflow.getHandle(lockWorkflowId(run.projectId), run.flow_run_id).fetchHistory();
  const found: NamedHistory[] = [{ workflowId: `${name}-run`, history }];
  for (const stage of stages) {
    const workflowId = stageWorkflowId(run.projectId, run.execution_id, stage);
    let runId: string | undefined = (await workflow.getHandle(workflowId).describe()).runId;
    for (let link = 0; runId; link += 1) {
      const linked: NamedHistory['history'] = await workflow.getHandle(workflowId, runId).fetchHistory();
      found.push({ workflowId: `${name}-stage-${stage}-${link}`, history: linked });
      const [started] = linked.events ?? [];
      runId = started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
    }
  }
  await keep(found);
  return found;
}

/** Names of the activities that histories asked for, in order. */
export function activitiesOf(histories: readonly NamedHistory[]): string[] {
  return histories.flatMap(({ history }) =>
    (history.events ?? []).flatMap(
      ({ activityTaskScheduledEventAttributes: asked }) => asked?.activityType?.name ?? [],
    ),
  );
}

const localActivity = z.object({ activity_type: z.string() });

/** Name of the local activity in an event. */
export function localActivityOf({
  markerRecordedEventAttributes: marker,
}: NonNullable<NamedHistory['history']['events']>[number]): string | undefined {
  if (marker?.markerName !== 'core_local_activity') return undefined;
  const [told] = marker.details?.['data']?.payloads ?? [];
  return localActivity.parse(JSON.parse(Buffer.from(told?.data ?? []).toString())).activity_type;
}

/** Names of the local activities in histories, in order. */
export function localActivitiesOf(histories: readonly NamedHistory[]): string[] {
  return histories.flatMap(({ history }) =>
    (history.events ?? []).flatMap((event) => localActivityOf(event) ?? []),
  );
}
