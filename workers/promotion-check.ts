import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { Areas } from '../shared/domain/areas.ts';
import type { ExecutionDocument, FlowCommandDocument } from '../shared/domain/executions/model.ts';
import type { CollectionIndexes, Db } from '../shared/kernel/database.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { CALIBRATION_QUEUE } from '../shared/kernel/engine/workflow-ids.ts';
import { indexChanges } from '../shared/kernel/index-builds.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import { undeclaredParameters } from '../shared/tasks/planned-parameters.ts';

/** Maximum number of open executions that are checked. */
const EXECUTIONS = 10_000;

export interface PromotionCheckDependencies {
  engine: Engine;
  db: Db;
  executions: Areas['executions'];
  /** The workflow code of this release. */
  bundlePath: string;
  findTask(name: string): TaskDefinition | undefined;
  collections: readonly CollectionIndexes[];
}

export interface PromotionCheck {
  /** Number of open workflows whose history was replayed. */
  replayed: number;
  /** A message for each open workflow whose history the workflow code of this release does not match. */
  mismatches: string[];
  /** A message for each planned task or run parameter that this release lacks, for which its run would wait. */
  waits: string[];
  /** A message for each collection whose indexes this release changes. */
  indexes: string[];
}

type ReplayedHistories = Parameters<typeof Worker.runReplayHistories>[1];
type NamedHistory = ReplayedHistories extends Iterable<infer History> | AsyncIterable<infer History>
  ? History
  : never;

/**
 * Checks what this release would do to the open runs of an installation, before anything is stopped: whether its workflow code
 * matches their histories, whether it has their planned tasks with their run parameters, and which indexes it changes. Reads only.
 */
export async function checkPromotion(dependencies: PromotionCheckDependencies): Promise<PromotionCheck> {
  const { engine, db, executions, bundlePath, findTask, collections } = dependencies;
  const { replayed, mismatches } = await replayOpen(engine, bundlePath);
  const waits: string[] = [];
  for (const execution of await executions.store.open(EXECUTIONS)) {
    const commands = await executions.commands.ofExecution(execution.project_id, execution.execution_id);
    const open = commands.filter(({ kind, answered_at }) => kind === 'stage' && answered_at === null);
    waits.push(...open.flatMap((stage) => planProblems(execution, stage, findTask)));
  }
  return { replayed, mismatches, waits, indexes: await indexChanges(db, collections) };
}

/** Replays the histories of all open workflows of runs. */
async function replayOpen(
  { client, access }: Engine,
  codePath: string,
): Promise<{ replayed: number; mismatches: string[] }> {
  const results = Worker.runReplayHistories(
    { workflowBundle: { codePath }, dataConverter: access.dataConverter },
    openHistories(client),
  );
  const mismatches: string[] = [];
  let replayed = 0;
  for await (const { workflowId, error } of results) {
    replayed += 1;
    if (error) mismatches.push(`${workflowId} does not match this release: ${error.message}`);
  }
  return { replayed, mismatches };
}

async function* openHistories({ workflow }: Client): AsyncIterable<NamedHistory> {
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${CALIBRATION_QUEUE}'`;
  for await (const { workflowId, runId } of workflow.list({ query })) {
    try {
      const history = await workflow.getHandle(workflowId, runId).fetchHistory();
      // The code of a workflow without a completed task has not run yet.
      if (history.events?.some((event) => event.workflowTaskCompletedEventAttributes))
        yield { workflowId, history };
    } catch (thrown) {
      // A workflow that was deleted after the list was read is open no more.
      if (!(thrown instanceof WorkflowNotFoundError)) throw thrown;
    }
  }
}

/** What this release lacks of an open stage's plan. */
function planProblems(
  { execution_id, project_id }: ExecutionDocument,
  { name: stage, tasks }: FlowCommandDocument,
  findTask: PromotionCheckDependencies['findTask'],
): string[] {
  const where = `Execution ${execution_id} of project ${project_id}: stage ${stage} plans`;
  return tasks.flatMap(({ name, declaration, run_parameters }) => {
    // What a backend declares is pinned in the plan, and no part of a release.
    if (declaration !== undefined) return [];
    const definition = findTask(name);
    if (!definition) return `${where} ${name}, which this release does not have. The run would wait there.`;
    return undeclaredParameters(definition, run_parameters).map(
      (parameter) =>
        `${where} ${name} with the run parameter ${parameter}, which this release does not have. The run would wait there.`,
    );
  });
}
