import type { Collection } from 'mongodb';
import { coalescedUpdates } from '../../kernel/coalesced-updates.ts';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { secondsBetween } from '../../kernel/time.ts';
import { revised } from './changes.ts';
import type { TaskOutcome, TaskResultDocument } from './model.ts';
import { endOfOpenTask, type MeasuredStatus, openTaskStatuses } from './status-rules.ts';

/** Ends of tasks. Final statuses never change. */
export function createTaskEnds(tasks: Collection<TaskResultDocument>) {
  const write = coalescedUpdates(tasks);

  return {
    /** Sets a running task to the final status of its outcome. Final statuses never change. */
    async end(task: TaskResultDocument, outcome: TaskOutcome): Promise<void> {
      const start = outcome.start_at ?? task.start_at;
      const ended = revised({
        $set: {
          status: outcome.status,
          message: outcome.message,
          output_parameters: outcome.outputs,
          output_parameter_names: Object.keys(outcome.outputs),
          quality_metrics: outcome.quality_metrics,
          gates: outcome.gates ?? {},
          ...(outcome.note && { note: outcome.note }),
          ...(outcome.check && { check: outcome.check }),
          ...(outcome.doubted && { doubted: outcome.doubted }),
          ...(outcome.goes_on && { goes_on: outcome.goes_on }),
          ...(outcome.suggested_run_parameters && {
            suggested_run_parameters: outcome.suggested_run_parameters,
          }),
          figure_path: outcome.figure_path,
          json_figure_path: outcome.json_figure_path,
          raw_data_path: outcome.raw_data_path,
          start_at: start,
          end_at: outcome.end_at,
          closed_at: new Date(),
          elapsed_time: secondsBetween(start, outcome.end_at),
          deadline: null,
        },
        $unset: { outcome: '' as const },
      });
      await write([{ filter: { _id: task._id, status: 'running' }, update: ended }]);
    },

    /** Closes all open tasks of an execution when the execution itself ends. */
    async closeOpen(
      projectId: ProjectId,
      executionId: ExecutionId,
      execution: MeasuredStatus,
      at: Date,
    ): Promise<void> {
      const end = endOfOpenTask(execution);
      const open = await tasks
        .find({ project_id: projectId, execution_id: executionId, status: { $in: [...openTaskStatuses] } })
        .project<Pick<TaskResultDocument, '_id' | 'start_at'>>({ start_at: 1 })
        .toArray();
      if (open.length === 0) return;
      await tasks.bulkWrite(
        open.map(({ _id, start_at }) => ({
          updateOne: {
            filter: { _id, status: { $in: [...openTaskStatuses] } },
            update: revised({
              $set: {
                status: end.status,
                message: end.message,
                end_at: at,
                closed_at: new Date(),
                elapsed_time: secondsBetween(start_at, at),
                deadline: null,
              },
              $unset: { outcome: '' as const },
            }),
          },
        })),
        { ordered: false },
      );
    },

    /** Skips the open tasks of a stage for which nothing was measured, because a user stopped the run. */
    async skipOpen(
      { project_id, execution_id, stage }: Pick<TaskResultDocument, 'project_id' | 'execution_id' | 'stage'>,
      message: string,
    ): Promise<void> {
      const at = new Date();
      const ended = { status: 'skipped', message, end_at: at, closed_at: at } as const;
      await tasks.updateMany(
        {
          project_id,
          execution_id,
          stage,
          status: { $in: [...openTaskStatuses] },
          outcome: { $exists: false },
        },
        revised({ $set: { ...ended, start_at: null, elapsed_time: null, deadline: null } }),
      );
    },

    /**
     * Open tasks of an execution with a stored outcome, in order for each target. Their writer stopped before it wrote
     * the final status.
     */
    async withOutcome(projectId: ProjectId, executionId: ExecutionId): Promise<TaskResultDocument[]> {
      const found = await tasks
        .find({
          project_id: projectId,
          execution_id: executionId,
          status: 'running',
          outcome: { $exists: true },
        })
        .toArray();
      return found.sort((one, other) => one.stage - other.stage || one.index - other.index);
    },
  };
}
