import { WorkflowFailedError } from '@temporalio/client';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { startWorkflow } from '../../kernel/engine/workflow-contract.ts';
import { CALIBRATION_QUEUE } from '../../kernel/engine/workflow-ids.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/new-ids.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import { BackendError } from '../backend-workers/errors.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { type AnalysisRequest, type OwnAnalysisAnswer, ownAnalysis } from './workflow-model.ts';

/** Longer than its steps may take together. */
const LIMIT = '100s';

interface Measured extends Pick<AnalysisRequest, 'dataset' | 'input_parameters' | 'run_parameters'> {
  source: TaskResultDocument;
}

/** Analyses that workers of backends make. */
export function createOwnAnalyses({ engine }: { engine: Engine }) {
  async function answerOf(task: TaskDefinition, backend: string, measured: Measured) {
    const { source, dataset, input_parameters, run_parameters } = measured;
    const { project_id, chip_id, execution_id, task_id, qid } = source;
    const handle = await withinDeadline(engine, () =>
      startWorkflow(engine, ownAnalysis, {
        workflowId: `analyse:${project_id}:${newId()}`,
        taskQueue: CALIBRATION_QUEUE,
        workflowExecutionTimeout: LIMIT,
        memo: { project_id, task_id },
        staticSummary: `Analysis of ${task.name} · ${qid} · ${backend}`,
        args: [
          {
            backend,
            request: {
              contract: 1 as const,
              project_id,
              chip_id,
              execution_id,
              task_id,
              target: qid,
              task_name: task.name,
              task_type: task.taskType,
              input_parameters,
              run_parameters,
              dataset,
            },
            outputs: Object.fromEntries(
              Object.entries(task.outputs).map(([name, { unit }]) => [name, { unit }]),
            ),
          },
        ],
      }),
    );
    return handle.result().catch((thrown: unknown): OwnAnalysisAnswer => {
      if (thrown instanceof WorkflowFailedError) return { unserved: 'no_worker' };
      throw thrown;
    });
  }

  return {
    /** @throws no_worker, conflict if the worker cannot analyse stored data, unreadable_file */
    async run(task: TaskDefinition, measured: Measured) {
      const backend = task.declared?.backend ?? '';
      const answer = await answerOf(task, backend, measured);
      if ('outputs' in answer) return answer;
      if ('problem' in answer) throw new CalibronError('unreadable_file', answer.problem);
      if (answer.unserved === 'no_worker') {
        throw new BackendError(
          'no_worker',
          `No worker of the backend ${backend} took the data: none is connected, or all of them are measuring.`,
        );
      }
      throw new CalibronError(
        'conflict',
        `The worker of the backend ${backend} does not analyse stored data; use calibron backend analyse where its code is.`,
      );
    },
  };
}
