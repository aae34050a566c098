import { Context } from '@temporalio/activity';
import type { Areas } from '../shared/domain/areas.ts';
import { isWaitingMeasurement } from '../shared/kernel/engine/pending-measurements.ts';
import { activityPollers } from '../shared/kernel/engine/pollers.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { backendQueue } from '../shared/kernel/engine/workflow-ids.ts';
import { describeWorkflow } from '../shared/kernel/engine/workflow-status.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import type { CalibrationActivities } from './contracts/runs.ts';
import { missingTask } from './missing-task.ts';
import { outOfSpace } from './out-of-space.ts';

/** A worker with a free place takes an activity within this many milliseconds. */
const TAKEN_WITHIN = 1000;

/** Checks of what a run waits for: space on the disk, a planned task, a worker of its backend and its turn there. */
export function createPrerequisiteActivities({
  areas,
  engine,
  findTask,
}: {
  areas: Pick<Areas, 'backends' | 'diskSpace'>;
  engine: Engine;
  findTask(name: string): TaskDefinition | undefined;
}): Pick<CalibrationActivities, 'awaitSpace' | 'awaitTask' | 'backendPresence' | 'waitingMeasurements'> {
  const { backends, diskSpace } = areas;

  return {
    /** @throws OutOfSpace, after which it is retried */
    async awaitSpace() {
      const shortage = await diskSpace.shortage();
      if (shortage !== null) throw outOfSpace(shortage);
    },

    /** @throws MissingTask, after which it is retried, possibly by a worker of another release */
    async awaitTask({ name, run_parameters = [], declared }) {
      if (declared) {
        const { backend, declaration } = declared;
        if (!(await backends.pinnedTask(backend, name, declaration)))
          throw missingTask({ name, declaration });
        return;
      }
      const definition = findTask(name);
      if (!definition) throw missingTask({ name });
      const missing = run_parameters.filter((each) => !Object.hasOwn(definition.runParameters, each));
      if (missing.length > 0) throw missingTask({ name, run_parameters: missing });
    },

    /** Number of workers that currently poll for measurements of a backend. */
    async backendPresence({ backend }) {
      return { workers: (await activityPollers(engine, backendQueue(backend))).length };
    },

    /** Looks twice, because a measurement that was handed over just now is not in a queue but on its way to a worker. */
    async waitingMeasurements({ workflow_id, run_id }) {
      const waiting = async () => {
        const described = await describeWorkflow(engine, workflow_id, run_id);
        const pending = described?.raw.pendingActivities ?? [];
        return pending.filter(isWaitingMeasurement).flatMap(({ activityId }) => activityId || []);
      };
      const before = new Set(await waiting());
      if (before.size === 0) return { ids: [] };
      await Context.current().sleep(TAKEN_WITHIN);
      return { ids: (await waiting()).filter((id) => before.has(id)) };
    },
  };
}
