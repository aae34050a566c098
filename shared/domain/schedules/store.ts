import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { ScheduleDocument, StoredOutcome } from './model.ts';
import { LIST_ORDER, placeOf } from './rules.ts';

export const scheduleIndexes: CollectionIndexes = {
  collection: 'schedules',
  indexes: [
    { name: 'by_place', key: { project_id: 1, order_rank: 1, order_at: 1, schedule_id: 1 } },
    { name: 'by_flow', key: { project_id: 1, flow_name: 1, order_rank: 1, order_at: 1, schedule_id: 1 } },
    { name: 'by_user', key: { user_id: 1, project_id: 1 } },
  ],
};

/** Milliseconds for which a one-time schedule remains listed after it is over. */
const LISTED_WHEN_OVER = 30 * 24 * 3600_000;

/** Fields that a change of a schedule may set. */
export type ScheduleFields = Partial<
  Pick<
    ScheduleDocument,
    | 'active'
    | 'cron'
    | 'scheduled_time'
    | 'timezone'
    | 'jitter_seconds'
    | 'priority'
    | 'allow_preemption'
    | 'parameters'
    | 'paused_reason'
    | 'user_id'
    | 'username'
  >
>;

/** Fields that schedules of earlier releases lack. */
type LaterFields = 'jitter_seconds' | 'priority' | 'allow_preemption' | 'paused_reason' | 'created_by';
type StoredSchedule = Omit<ScheduleDocument, LaterFields> & Partial<Pick<ScheduleDocument, LaterFields>>;

const withDefaults = (stored: StoredSchedule): ScheduleDocument => ({
  jitter_seconds: 0,
  priority: 0,
  allow_preemption: false,
  paused_reason: null,
  created_by: stored.username,
  ...stored,
});

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

/** Schedules of flows: what to start, when, and in whose name. */
export function createScheduleStore(db: Db) {
  const schedules = db.collection<StoredSchedule>(scheduleIndexes.collection);
  const filterOf = (projectId: ProjectId, flowName?: string) => ({
    project_id: projectId,
    ...(flowName === undefined ? {} : { flow_name: flowName }),
  });

  /**
   * Updates the order of a project's schedules, because due times have passed since the last update, and removes those
   * that ended long ago.
   */
  async function putInOrder(projectId: ProjectId, now: Date): Promise<void> {
    await schedules.deleteMany({
      project_id: projectId,
      order_rank: LIST_ORDER.over,
      order_at: { $lt: new Date(now.getTime() - LISTED_WHEN_OVER) },
    });
    const behind = await schedules
      .find({
        project_id: projectId,
        $or: [
          { order_rank: { $in: [LIST_ORDER.toCome, LIST_ORDER.paused] }, order_at: { $lte: now } },
          { order_rank: { $exists: false } },
        ],
      })
      .toArray();
    const moved = behind.flatMap((schedule) => {
      const place = placeOf(schedule, now);
      const stays = place.order_rank === schedule.order_rank && +place.order_at === +schedule.order_at;
      return stays ? [] : [{ schedule, place }];
    });
    if (moved.length === 0) return;
    await schedules.bulkWrite(
      moved.map(({ schedule: { _id, order_at, active }, place }) => ({
        // Skips schedules that were changed meanwhile.
        updateOne: { filter: { _id, order_at, active }, update: { $set: place } },
      })),
      { ordered: false },
    );
  }

  return {
    async insert(schedule: ScheduleDocument): Promise<void> {
      await insertNew(schedules, schedule);
    },

    async get(projectId: ProjectId, scheduleId: string): Promise<ScheduleDocument | null> {
      const found = await schedules.findOne({ _id: keyOf(projectId, scheduleId) });
      return found && withDefaults(found);
    },

    putInOrder,

    /** A page of the schedules of a project or of one flow: upcoming by due time, then paused, then over. */
    async list(
      projectId: ProjectId,
      flowName: string | undefined,
      page: { limit: number; offset: number },
      now: Date,
    ): Promise<{ schedules: ScheduleDocument[]; total: number }> {
      await putInOrder(projectId, now);
      const filter = filterOf(projectId, flowName);
      const [found, total] = await Promise.all([
        schedules
          .find(filter)
          .sort({ order_rank: 1, order_at: 1, schedule_id: 1 })
          .skip(page.offset)
          .limit(page.limit)
          .toArray(),
        schedules.countDocuments(filter),
      ]);
      return { schedules: found.map(withDefaults), total };
    },

    /** The schedules of all projects that may still start runs, including paused ones. */
    notOver: async (): Promise<ScheduleDocument[]> =>
      (await schedules.find({ order_rank: { $ne: LIST_ORDER.over } }).toArray()).map(withDefaults),

    /** Number of schedules of a project. */
    count: (projectId: ProjectId): Promise<number> => schedules.countDocuments(filterOf(projectId)),

    /** All schedules of a project or of one flow. */
    all: async (projectId: ProjectId, flowName?: string): Promise<ScheduleDocument[]> =>
      (await schedules.find(filterOf(projectId, flowName)).toArray()).map(withDefaults),

    /** The schedules of a flow with a cron, in the given slot or in none. */
    cronsOf: async (projectId: ProjectId, flowName: string, slot?: number): Promise<ScheduleDocument[]> => {
      const inSlot = { slot: slot ?? { $exists: false } };
      const filter = { ...filterOf(projectId, flowName), schedule_type: 'cron' as const, ...inSlot };
      return (await schedules.find(filter).toArray()).map(withDefaults);
    },

    /** The active schedules in a user's name, in all projects or in one. */
    activeOf: async (userId: UserId, projectId?: ProjectId): Promise<ScheduleDocument[]> =>
      (
        await schedules
          .find({
            user_id: userId,
            ...(projectId === undefined ? {} : { project_id: projectId }),
            active: true,
          })
          .toArray()
      ).map(withDefaults),

    /** The active schedules of a project. */
    activeIn: async (projectId: ProjectId): Promise<ScheduleDocument[]> =>
      (await schedules.find({ project_id: projectId, active: true }).toArray()).map(withDefaults),

    /** Changes a schedule; false if it no longer exists. */
    async set(schedule: ScheduleDocument, fields: ScheduleFields, now: Date): Promise<boolean> {
      const place = placeOf({ ...schedule, ...fields }, now);
      const { matchedCount } = await schedules.updateOne(
        { _id: schedule._id },
        { $set: { ...fields, ...place } },
      );
      return matchedCount === 1;
    },

    /** Pauses a schedule, unless it was changed to run in another user's name meanwhile. */
    async pause(schedule: ScheduleDocument, paused_reason: string, now: Date): Promise<void> {
      const { _id, user_id, scheduled_time } = schedule;
      const place = placeOf({ ...schedule, active: false }, now);
      await schedules.updateOne(
        { _id, user_id, scheduled_time },
        { $set: { active: false, paused_reason, ...place } },
      );
    },

    async remove(projectId: ProjectId, scheduleId: string): Promise<void> {
      await schedules.deleteOne({ _id: keyOf(projectId, scheduleId) });
    },

    /** Records the outcome of a due time; a one-time schedule is then over, unless it was given another time meanwhile. */
    async noteOutcome({ _id }: Pick<ScheduleDocument, '_id'>, outcome: StoredOutcome): Promise<void> {
      const started = outcome.status === 'started' ? { last_started_at: outcome.at } : {};
      // Written in this order, so that a reader of a one-time schedule's outcome finds it over.
      await schedules.updateOne(
        { _id, scheduled_time: { $lte: outcome.due_at } },
        { $set: { active: false, order_rank: LIST_ORDER.over } },
      );
      await schedules.updateOne({ _id }, { $set: { last_outcome: outcome, ...started } });
    },
  };
}
