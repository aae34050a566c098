import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
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

/** Milliseconds for which a schedule that runs once stays listed when it is over. */
const LISTED_WHEN_OVER = 30 * 24 * 3600_000;

/** What a change of a schedule may set. */
export type ScheduleFields = Partial<
  Pick<
    ScheduleDocument,
    | 'active'
    | 'cron'
    | 'scheduled_time'
    | 'timezone'
    | 'jitter_seconds'
    | 'parameters'
    | 'paused_reason'
    | 'user_id'
    | 'username'
  >
>;

/** What schedules lack that an earlier release made. */
type LaterFields = 'jitter_seconds' | 'paused_reason' | 'created_by';
type StoredSchedule = Omit<ScheduleDocument, LaterFields> & Partial<Pick<ScheduleDocument, LaterFields>>;

const whole = (stored: StoredSchedule): ScheduleDocument => ({
  jitter_seconds: 0,
  paused_reason: null,
  created_by: stored.username,
  ...stored,
});

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

/** Schedules of flows: what to start, when and for whom. */
export function createScheduleStore(db: Db) {
  const schedules = db.collection<StoredSchedule>(scheduleIndexes.collection);
  const filterOf = (projectId: string, flowName?: string) => ({
    project_id: projectId,
    ...(flowName === undefined ? {} : { flow_name: flowName }),
  });

  /**
   * Brings the order of a project's schedules up to date: due times have come since they were last looked at, and some
   * have long been over.
   */
  async function putInOrder(projectId: string, now: Date): Promise<void> {
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
        // Not what was changed meanwhile.
        updateOne: { filter: { _id, order_at, active }, update: { $set: place } },
      })),
      { ordered: false },
    );
  }

  return {
    async insert(schedule: ScheduleDocument): Promise<void> {
      await insertNew(schedules, schedule);
    },

    async get(projectId: string, scheduleId: string): Promise<ScheduleDocument | null> {
      const found = await schedules.findOne({ _id: keyOf(projectId, scheduleId) });
      return found && whole(found);
    },

    putInOrder,

    /** A page of the schedules of a project or of one flow: to come by due time, then paused, then over. */
    async list(
      projectId: string,
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
      return { schedules: found.map(whole), total };
    },

    /** How many schedules a project has. */
    count: (projectId: string): Promise<number> => schedules.countDocuments(filterOf(projectId)),

    /** All schedules of a project or of one flow. */
    all: async (projectId: string, flowName?: string): Promise<ScheduleDocument[]> =>
      (await schedules.find(filterOf(projectId, flowName)).toArray()).map(whole),

    /** The schedules of a flow that have a cron, in one of its slots or in none. */
    cronsOf: async (projectId: string, flowName: string, slot?: number): Promise<ScheduleDocument[]> => {
      const inSlot = { slot: slot ?? { $exists: false } };
      const filter = { ...filterOf(projectId, flowName), schedule_type: 'cron' as const, ...inSlot };
      return (await schedules.find(filter).toArray()).map(whole);
    },

    /** The active schedules that run in the name of a user, in all projects or in one. */
    activeOf: async (userId: string, projectId?: string): Promise<ScheduleDocument[]> =>
      (
        await schedules
          .find({
            user_id: userId,
            ...(projectId === undefined ? {} : { project_id: projectId }),
            active: true,
          })
          .toArray()
      ).map(whole),

    /** The active schedules of a project. */
    activeIn: async (projectId: string): Promise<ScheduleDocument[]> =>
      (await schedules.find({ project_id: projectId, active: true }).toArray()).map(whole),

    /** Changes a schedule; false when it is not there any more. */
    async set(schedule: ScheduleDocument, fields: ScheduleFields, now: Date): Promise<boolean> {
      const place = placeOf({ ...schedule, ...fields }, now);
      const { matchedCount } = await schedules.updateOne(
        { _id: schedule._id },
        { $set: { ...fields, ...place } },
      );
      return matchedCount === 1;
    },

    /** Pauses a schedule unless it was changed to run in another's name meanwhile. */
    async pause(schedule: ScheduleDocument, paused_reason: string, now: Date): Promise<void> {
      const { _id, user_id, scheduled_time } = schedule;
      const place = placeOf({ ...schedule, active: false }, now);
      await schedules.updateOne(
        { _id, user_id, scheduled_time },
        { $set: { active: false, paused_reason, ...place } },
      );
    },

    async remove(projectId: string, scheduleId: string): Promise<void> {
      await schedules.deleteOne({ _id: keyOf(projectId, scheduleId) });
    },

    /** Notes what became of a due time; a one-time schedule is over, unless it was given another time meanwhile. */
    async noteOutcome({ _id }: Pick<ScheduleDocument, '_id'>, outcome: StoredOutcome): Promise<void> {
      const started = outcome.status === 'started' ? { last_started_at: outcome.at } : {};
      // In this order whoever reads the outcome of a one-time schedule finds it over.
      await schedules.updateOne(
        { _id, scheduled_time: { $lte: outcome.due_at } },
        { $set: { active: false, order_rank: LIST_ORDER.over } },
      );
      await schedules.updateOne({ _id }, { $set: { last_outcome: outcome, ...started } });
    },
  };
}
