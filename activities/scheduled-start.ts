import type { RunOrder, Runs } from '../shared/domain/runs/index.ts';
import type { Schedules } from '../shared/domain/schedules/index.ts';
import type { ScheduleDocument, StoredOutcome } from '../shared/domain/schedules/model.ts';
import { CalibronError } from '../shared/kernel/errors.ts';
import type { ScheduleActivities } from './contract.ts';

/** Milliseconds after which a due time counts as one that an outage made late. */
const LATE = 60_000;

interface Dependencies {
  schedules: Pick<Schedules, 'store' | 'timetable'>;
  runs: Pick<Runs, 'startFlow' | 'holder'>;
  execution(projectId: string, executionId: string): Promise<{ chip_id: string } | null>;
  now?: () => Date;
}

/** The activity that carries out a schedule. */
export function createScheduledStartActivities(dependencies: Dependencies): ScheduleActivities {
  const { runs, execution, now = () => new Date() } = dependencies;
  const { store, timetable } = dependencies.schedules;

  /** Tries to start the run; what the caller could not help either becomes the schedule's outcome. */
  async function carryOut(schedule: ScheduleDocument, due: Date): Promise<StoredOutcome> {
    const nothing = { due_at: due, execution_id: null, held_by: null };
    // After an outage the engine makes up for what it missed: one start is enough.
    const late = now().getTime() - due.getTime() > LATE;
    if (late && schedule.last_started_at !== null && schedule.last_started_at > due) {
      return { ...nothing, at: now(), status: 'skipped', message: 'A later start has made up for this one.' };
    }
    const { project_id, user_id, username, flow_name, parameters } = schedule;
    const order: RunOrder = {
      projectId: project_id,
      user: { _id: user_id, username },
      idempotencyKey: `schedule ${schedule.schedule_id} ${due.toISOString()}`,
      trigger: 'schedule',
    };
    try {
      const { execution_id, message } = await runs.startFlow(
        order,
        flow_name,
        { parameters },
        { schedule_id: schedule.schedule_id },
      );
      return { ...nothing, at: now(), status: 'started', execution_id, message };
    } catch (thrown) {
      if (!(thrown instanceof CalibronError) || thrown.status >= 500) throw thrown;
      if (thrown.code !== 'project_busy') {
        return { ...nothing, at: now(), status: 'failed', message: thrown.message };
      }
      const holder = await runs.holder(project_id);
      const message = holder
        ? `The project was held by execution ${holder.execution_id}.`
        : 'The project was held by another run, which has ended since.';
      return { ...nothing, at: now(), status: 'skipped', held_by: holder?.execution_id ?? null, message };
    }
  }

  return {
    /**
     * Starts the run of a schedule that is due, or notes why none was started. Safe to run twice: the due time is
     * the start's idempotency key.
     */
    async startScheduledRun({ project_id, schedule_id, due_at }) {
      const schedule = await store.get(project_id, schedule_id);
      if (!schedule) {
        // What the engine still has of it goes now.
        await timetable.remove(schedule_id);
        return { message: 'The schedule was deleted.', started: null };
      }
      const outcome = await carryOut(schedule, new Date(due_at));
      await store.noteOutcome(schedule, outcome);
      const { execution_id } = outcome;
      const run = execution_id === null ? null : await execution(project_id, execution_id);
      return {
        message: `${outcome.status}: ${outcome.message}`,
        started: execution_id !== null && run ? { execution_id, chip_id: run.chip_id } : null,
      };
    },
  };
}
