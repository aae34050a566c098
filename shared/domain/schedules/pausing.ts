import { isEngineUnavailable } from '../../kernel/engine/temporal.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import { inParallel } from '../../kernel/in-parallel.ts';
import type { FlowDocument } from '../flows/saved-flow-model.ts';
import type { ScheduleDocument } from './model.ts';
import type { ScheduleStore } from './store.ts';
import { ENGINE_CALLS, type Timetable } from './timetable.ts';

export interface PausingDependencies {
  schedules: Pick<ScheduleStore, 'pause' | 'activeOf' | 'activeIn'>;
  timetable: Pick<Timetable, 'pause'>;
  flow(projectId: ProjectId, name: string): Promise<FlowDocument | null>;
}

/** Pauses schedules whose user or chip is gone. */
export function createPausing({ schedules, timetable, flow }: PausingDependencies) {
  const pauseAll = (all: readonly ScheduleDocument[], reason: string) =>
    inParallel(ENGINE_CALLS, all, async (schedule) => {
      await schedules.pause(schedule, reason, new Date());
      await timetable.pause(schedule.schedule_id, reason).catch(ignoringUnavailable);
    });

  /** The chip of a schedule's runs: the schedule's, else its flow's. */
  async function chipIdOf({ project_id, flow_name, parameters }: ScheduleDocument): Promise<unknown> {
    return parameters.chip_id ?? (await flow(project_id, flow_name))?.chip_id;
  }

  return {
    /**
     * Pauses the schedules of a user who may no longer start runs, in one project or in all. If the engine is
     * unavailable, a due time that it still triggers finds the schedule paused.
     */
    async pauseOf(userId: UserId, reason: string, projectId?: ProjectId): Promise<void> {
      await pauseAll(await schedules.activeOf(userId, projectId), reason);
    },

    /** Pauses the schedules of a deleted chip, so that they never run on another chip that gets its id. Idempotent. */
    async pauseOfChip(projectId: ProjectId, chipId: string): Promise<void> {
      const active = await schedules.activeIn(projectId);
      const chipIds = await Promise.all(active.map(chipIdOf));
      const ofChip = active.filter((_schedule, index) => chipIds[index] === chipId);
      await pauseAll(ofChip, `the chip ${chipId} that it ran on was deleted`);
    },
  };
}

function ignoringUnavailable(thrown: unknown): void {
  if (!isEngineUnavailable(thrown)) throw thrown;
}
