import { CalibronError } from '../../kernel/errors.ts';
import { isUuid, type ProjectId, type UserId } from '../../kernel/ids.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { MENU_FLOW } from '../flows/built-in-rules.ts';
import type { Menus } from '../menus/index.ts';
import type { Schedules } from '../schedules/index.ts';
import type { ScheduleDocument } from '../schedules/model.ts';
import { nextRunOf } from '../schedules/rules.ts';
import type { CronSlot, MenuSchedule, NewMenuSchedule } from './model.ts';
import { slotDefaults, slotName, slotOf } from './rules.ts';
import { menuScheduleOf } from './wire.ts';

interface Dependencies {
  menus: Pick<Menus, 'find'>;
  schedules: Pick<Schedules, 'create' | 'delete' | 'store'>;
  settings: Pick<KernelSettings, 'CALIBRON_ENV' | 'TIMEZONE'>;
}

interface User {
  _id: UserId;
  username: string;
}

/** Menus that run once at a set time, and the five cron slots of a project that run menus repeatedly. */
export function createMenuSchedules({ menus, schedules, settings }: Dependencies) {
  const { store } = schedules;
  const { CALIBRON_ENV: environment, TIMEZONE: timezone } = settings;
  const ofMenus = (projectId: ProjectId) => store.all(projectId, MENU_FLOW);

  return {
    /** Menus scheduled to run once, the next one first. */
    async list(projectId: ProjectId): Promise<MenuSchedule[]> {
      const now = new Date();
      const due = (schedule: ScheduleDocument) => nextRunOf(schedule, now)?.getTime() ?? 0;
      return (await ofMenus(projectId))
        .filter((schedule) => schedule.schedule_type === 'one-time' && due(schedule) > 0)
        .sort((a, b) => due(a) - due(b) || (a.schedule_id < b.schedule_id ? -1 : 1))
        .flatMap((schedule) => menuScheduleOf(schedule, timezone) ?? []);
    },

    /**
     * Schedules the menu's current content to run once.
     * @throws not_found, conflict for its name; bad_request for an invalid or past time, or a menu that cannot be run;
     *   quota_exceeded
     */
    async create(
      projectId: ProjectId,
      user: User,
      { menu_name, scheduled }: NewMenuSchedule,
    ): Promise<MenuSchedule> {
      const menu = await menus.find(projectId, user, menu_name);
      const { schedule_id } = await schedules.create(projectId, user, MENU_FLOW, {
        cron: null,
        scheduled_time: scheduled,
        parameters: { menu },
        active: true,
        timezone: null,
        jitter_seconds: 0,
        priority: 0,
        allow_preemption: false,
      });
      const stored = await store.get(projectId, schedule_id);
      const shown = stored && menuScheduleOf(stored, timezone);
      if (!shown) throw noSuchSchedule();
      return shown;
    },

    /** Cancels a one-time menu run. @throws bad_request if the id is not a UUID, not_found */
    async remove(projectId: ProjectId, scheduleId: string): Promise<void> {
      const found = isUuid(scheduleId) ? await store.get(projectId, scheduleId) : null;
      const isOurs = found?.flow_name === MENU_FLOW && found.schedule_type === 'one-time';
      if (isUuid(scheduleId) && !isOurs) throw noSuchSchedule();
      await schedules.delete(projectId, scheduleId);
    },

    /** The five cron slots, in order. An empty slot has no menu name. */
    async slots(projectId: ProjectId): Promise<CronSlot[]> {
      const stored = new Map((await ofMenus(projectId)).map((schedule) => [schedule.slot, schedule]));
      return slotDefaults.map((usual, index) => {
        const scheduler_name = slotName(environment, index + 1);
        const schedule = stored.get(index + 1);
        const menu_name = schedule?.parameters.menu_name;
        if (!schedule?.cron || typeof menu_name !== 'string') {
          return { scheduler_name, menu_name: '', cron: usual, active: false };
        }
        return { scheduler_name, menu_name, cron: schedule.cron, active: schedule.active };
      });
    },

    /**
     * Fills a slot. Each due time runs the menu that then has this name for the creator of the slot.
     * @throws not_found for slot or menu, conflict for its name, bad_request for an invalid cron or a menu that cannot be
     *   run, quota_exceeded
     */
    async fill(projectId: ProjectId, user: User, wanted: CronSlot): Promise<CronSlot> {
      const { scheduler_name, menu_name, cron, active } = wanted;
      const slot = slotOf(scheduler_name);
      if (slot === null) {
        throw new CalibronError(
          'not_found',
          `There is no such scheduler. There are ${slotName(environment, 1)} to ${slotDefaults.length}.`,
        );
      }
      await schedules.create(projectId, user, MENU_FLOW, {
        cron,
        scheduled_time: null,
        parameters: { menu_name },
        active,
        timezone: null,
        jitter_seconds: 0,
        priority: 0,
        allow_preemption: false,
        slot,
      });
      return wanted;
    },
  };
}

function noSuchSchedule(): CalibronError {
  return new CalibronError('not_found', 'There is no such schedule of a menu in this project.');
}
