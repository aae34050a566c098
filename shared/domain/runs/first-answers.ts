import type { Engine } from '../../kernel/engine/temporal.ts';
import { runWorkflowId } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../../kernel/engine/workflow-status.ts';
import { flowRunIdOf } from '../executions/id-rules.ts';
import { type ExecutionStore, newExecution } from '../executions/index.ts';
import type { ExecutionRequestDocument } from '../executions/model.ts';
import { holderIn } from './holder.ts';
import type { createIdempotencyKeys, IdempotencyKeyDocument, SentKey } from './idempotency-keys.ts';
import type { StartedRun } from './model.ts';
import type { RunIdentity } from './run-model.ts';
import { startedRunOf } from './wire.ts';

/** Answers requests that repeat an idempotency key as the first of them was answered. */
export function createFirstAnswers({
  engine,
  executions,
  keys,
  pages,
}: {
  engine: Engine;
  executions: Pick<ExecutionStore, 'get' | 'request' | 'insert'>;
  keys: Pick<ReturnType<typeof createIdempotencyKeys>, 'find'>;
  /** Where the pages of a run are. */
  pages: Parameters<typeof startedRunOf>[3];
}) {
  /** The first answer of a key; null when its start was never completed. */
  async function firstAnswer({ run, message }: IdempotencyKeyDocument): Promise<StartedRun | null> {
    const stored = await executions.get(run.project_id, run.execution_id);
    if (stored) return startedRunOf(run, flowRunIdOf(stored), message, pages);
    const holder = holderIn(await describeWorkflow(engine, runWorkflowId(run)));
    if (holder?.execution_id !== run.execution_id) return null;
    // The start was interrupted before its record was written. Write it now, so that the run can be queried at once.
    const request = await executions.request(run.project_id, run.execution_id);
    await insertExecution(run, holder.flow_run_id, request?.origin);
    return startedRunOf(run, holder.flow_run_id, message, pages);
  }

  /** The first answer of a key that may be new. */
  async function answerOf(key: SentKey | null): Promise<StartedRun | null> {
    const known = key && (await keys.find(key));
    return known && firstAnswer(known);
  }

  /** Writes the record of a run that has started. */
  async function insertExecution(
    run: RunIdentity,
    flow_run_id: string,
    origin: ExecutionRequestDocument['origin'],
  ): Promise<void> {
    await executions.insert(newExecution(run, { flow_run_id, at: new Date(), origin }));
  }

  return { firstAnswer, answerOf, insertExecution };
}
