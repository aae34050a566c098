import type { Areas } from '../shared/domain/areas.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { messageOf } from '../shared/kernel/errors.ts';
import type { Logger } from '../shared/kernel/log.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import { createApprovalActivities } from './approvals.ts';
import { createBeginActivities } from './begin.ts';
import type { CalibrationActivities, LocalActivities } from './contracts/runs.ts';
import { createPrerequisiteActivities } from './prerequisites.ts';
import type { FigureDrawing } from './record/figure-drawing.ts';

export interface ExecutionActivityDependencies {
  areas: Pick<
    Areas,
    'aiReviews' | 'backends' | 'executions' | 'results' | 'approvals' | 'runs' | 'updateGate' | 'diskSpace'
  >;
  engine: Engine;
  figures: Pick<FigureDrawing, 'endRun'>;
  findTask(name: string): TaskDefinition | undefined;
  log: Pick<Logger, 'warn'>;
}

/** Activities that start and end a run and note how it proceeds. */
export function createExecutionActivities(
  dependencies: ExecutionActivityDependencies,
): Pick<LocalActivities, 'beginLocally'> &
  Pick<
    CalibrationActivities,
    | 'begin'
    | 'finalize'
    | 'awaitSpace'
    | 'awaitTask'
    | 'backendPresence'
    | 'waitingMeasurements'
    | 'lendChip'
    | 'notePreempted'
    | 'noteControl'
    | 'noteWaiting'
    | 'openApproval'
    | 'answerApproval'
    | 'settleApproval'
  > {
  const { areas, engine, figures, findTask, log } = dependencies;
  const { store: executions } = areas.executions;
  const { locks, closer } = areas.runs;

  return {
    ...createBeginActivities(areas),
    ...createApprovalActivities(areas),
    ...createPrerequisiteActivities({ areas, engine, findTask }),

    /**
     * Closes open tasks and the execution, snapshots the chip, and frees the stored lock when the chip is quiet. Retried
     * until it succeeds.
     */
    async finalize({ run, end }) {
      await closer.close(run, end);
      figures.endRun(run);
      // A failure to start reviews must not keep the run from ending.
      await areas.aiReviews
        .afterRun(run)
        .catch((thrown: unknown) =>
          log.warn({ execution_id: run.execution_id, error: messageOf(thrown) }, 'results not reviewed'),
        );
    },

    /** Lets another run use the chip. This one may not write until it has begun again. */
    async lendChip({ run, to }) {
      await locks.lend(run, to);
    },

    async notePreempted({ run, preempted }) {
      await executions.notePreempted(run.project_id, run.execution_id, preempted);
    },

    async noteControl({ run, control }) {
      await executions.noteControl(run.project_id, run.execution_id, control);
    },

    async noteWaiting({ run, waiting }) {
      await executions.noteWaiting(run.project_id, run.execution_id, waiting);
    },
  };
}
