import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { ScheduleDocument, StoredOutcome } from './model.ts';

export const scheduleIndexes: CollectionIndexes = {
  collection: 'schedules',
  indexes: [
    { name: 'by_order', key: { project_id: 1, order_at: 1, schedule_id: 1 } },
    { name: 'by_flow', key: { project_id: 1, flow_name: 1, order_at: 1, schedule_id: 1 } },
  ],
};

/** What a change of a schedule may set. */
export type ScheduleFields = Partial<
  Pick<ScheduleDocument, 'active' | 'cron' | 'scheduled_time' | 'order_at' | 'timezone' | 'parameters'>
>;

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

/** Schedules of flows: what to start and for whom. */
export function createScheduleStore(db: Db) {
  const schedules = db.collection<ScheduleDocument>(scheduleIndexes.collection);
  const filterOf = (projectId: string, flowName?: string) => ({
    project_id: projectId,
    ...(flowName === undefined ? {} : { flow_name: flowName }),
  });

  return {
    async insert(schedule: ScheduleDocument): Promise<void> {
      await schedules.insertOne(schedule);
    },

    get: (projectId: string, scheduleId: string): Promise<ScheduleDocument | null> =>
      schedules.findOne({ _id: keyOf(projectId, scheduleId) }),

    /** A page of the schedules of a project or of one flow: by due time, those with a cron last. */
    async list(
      projectId: string,
      flowName: string | undefined,
      page: { limit: number; offset: number },
    ): Promise<{ schedules: ScheduleDocument[]; total: number }> {
      const filter = filterOf(projectId, flowName);
      const [found, total] = await Promise.all([
        schedules
          .find(filter)
          .sort({ order_at: 1, schedule_id: 1 })
          .skip(page.offset)
          .limit(page.limit)
          .toArray(),
        schedules.countDocuments(filter),
      ]);
      return { schedules: found, total };
    },

    /** How many schedules a project has. */
    count: (projectId: string): Promise<number> => schedules.countDocuments(filterOf(projectId)),

    /** All schedules of a project or of one flow. */
    all: (projectId: string, flowName?: string): Promise<ScheduleDocument[]> =>
      schedules.find(filterOf(projectId, flowName)).toArray(),

    /** Changes a schedule; false when it is not there any more. */
    async set(projectId: string, scheduleId: string, fields: ScheduleFields): Promise<boolean> {
      const { matchedCount } = await schedules.updateOne(
        { _id: keyOf(projectId, scheduleId) },
        { $set: fields },
      );
      return matchedCount === 1;
    },

    async remove(projectId: string, scheduleId: string): Promise<void> {
      await schedules.deleteOne({ _id: keyOf(projectId, scheduleId) });
    },

    /** Notes what became of a due time; a one-time schedule is over, unless it was given another time meanwhile. */
    async noteOutcome(schedule: Pick<ScheduleDocument, '_id'>, outcome: StoredOutcome): Promise<void> {
      const started = outcome.status === 'started' ? { last_started_at: outcome.at } : {};
      // In this order whoever reads the outcome of a one-time schedule finds it over.
      await schedules.updateOne(
        { _id: schedule._id, order_at: { $lte: outcome.due_at } },
        { $set: { active: false } },
      );
      await schedules.updateOne({ _id: schedule._id }, { $set: { last_outcome: outcome, ...started } });
    },
  };
}
