import type { Projects } from '../shared/domain/projects/index.ts';
import { RunError } from '../shared/domain/runs/errors.ts';
import type { RunOrder, Runs } from '../shared/domain/runs/index.ts';
import { readCron } from '../shared/domain/schedules/cron-rules.ts';
import { lastDueTime } from '../shared/domain/schedules/due-time-rules.ts';
import type { Schedules } from '../shared/domain/schedules/index.ts';
import type { ScheduleDocument, StoredOutcome } from '../shared/domain/schedules/model.ts';
import { LATENESS_LIMIT, latenessText } from '../shared/domain/schedules/rules.ts';
import { UpdateGateError } from '../shared/domain/update-gate/errors.ts';
import { CalibronError, isError } from '../shared/kernel/errors.ts';
import type { ExecutionId, ProjectId } from '../shared/kernel/ids.ts';
import type { ScheduleActivities } from './contracts/schedules.ts';

/** Milliseconds after which a start counts as delayed by an outage. */
const LATE = 60_000;

interface Dependencies {
  schedules: Pick<Schedules, 'store' | 'timetable'>;
  runs: Pick<Runs, 'startFlow' | 'holder'>;
  projects: Pick<Projects, 'whyNoStart'>;
  execution(projectId: ProjectId, executionId: ExecutionId): Promise<{ chip_id: string } | null>;
  now?: () => Date;
}

type Outcome = Omit<StoredOutcome, 'due_at' | 'at'>;

/** The reason why no run is started for a due time. */
class NotStarted extends Error {
  readonly outcome: Pick<Outcome, 'status' | 'message'>;
  constructor(status: Outcome['status'], message: string) {
    super(message);
    this.outcome = { status, message };
  }
}

/** The activity that carries out a schedule. */
export function createScheduledStartActivities(dependencies: Dependencies): ScheduleActivities {
  const { runs, projects, execution, now = () => new Date() } = dependencies;
  const { store, timetable } = dependencies.schedules;

  /** @throws NotStarted if a new start is no longer allowed */
  async function assertDue(schedule: ScheduleDocument, due: Date): Promise<void> {
    const { last_started_at, user_id, username, project_id, schedule_id } = schedule;
    const late = now().getTime() - due.getTime();
    if (late > latenessLimit(schedule)) {
      throw new NotStarted(
        'missed',
        `missed, ${latenessText(late)} late: nothing is started more than ${latenessText(LATENESS_LIMIT)} after its due time.`,
      );
    }
    // After an outage the engine catches up on missed starts, but one start is enough.
    if (late > LATE && last_started_at !== null && last_started_at > due) {
      throw new NotStarted('skipped', 'A later start has made up for this one.');
    }
    const refusal = schedule.paused_reason ?? (await projects.whyNoStart(project_id, user_id, username));
    if (refusal === null) return;
    await store.pause(schedule, refusal, now());
    await timetable.pause(schedule_id, refusal);
    throw new NotStarted('skipped', `The schedule was paused: ${refusal}`);
  }

  /** Tries to start the run. Permanent errors become the schedule's outcome; others are thrown and retried. */
  async function start(schedule: ScheduleDocument, due: Date): Promise<Outcome> {
    const { project_id, user_id, username, flow_name, parameters, schedule_id } = schedule;
    const { priority, allow_preemption } = schedule;
    const order: RunOrder = {
      projectId: project_id,
      user: { _id: user_id, username },
      idempotencyKey: `schedule ${schedule_id} ${due.toISOString()}`,
      trigger: 'schedule',
      assertAllowed: () => assertDue(schedule, due),
    };
    const nothing = { execution_id: null, held_by: null };
    try {
      const { execution_id, message } = await runs.startFlow(
        order,
        flow_name,
        { parameters, priority, allow_preemption },
        { schedule_id },
      );
      return { ...nothing, status: 'started', execution_id, message };
    } catch (thrown) {
      if (thrown instanceof NotStarted) return { ...nothing, ...thrown.outcome };
      // Rate limits and system updates are not the schedule's fault: the engine retries.
      const mayPass = !(thrown instanceof CalibronError) || thrown.status >= 500;
      if (mayPass || isError(thrown, 'too_many_requests') || thrown instanceof UpdateGateError) throw thrown;
      const isBusy = thrown instanceof RunError && thrown.code === 'project_busy';
      if (!isBusy) return { ...nothing, status: 'failed', message: thrown.message };
      const holder = await runs.holder(project_id);
      const message = holder
        ? `The project was held by execution ${holder.execution_id}.`
        : 'The project was held by another run, which has ended since.';
      return { ...nothing, status: 'skipped', held_by: holder?.execution_id ?? null, message };
    }
  }

  return {
    /**
     * Starts the run of a due schedule, or records why none was started. Safe to run twice: the due time is the idempotency
     * key of the start.
     */
    async startScheduledRun({ project_id, schedule_id, due_at }) {
      const schedule = await store.get(project_id, schedule_id);
      if (!schedule) {
        // The schedule was deleted; remove what the engine still has of it.
        await timetable.remove(schedule_id);
        return { message: 'The schedule was deleted.', started: null };
      }
      const due = dueTimeToMeet(schedule, new Date(due_at), now());
      const outcome = await start(schedule, due);
      await store.noteOutcome(schedule, { ...outcome, due_at: due, at: now() });
      const { execution_id } = outcome;
      const run = execution_id === null ? null : await execution(project_id, execution_id);
      return {
        message: `${outcome.status}: ${outcome.message}`,
        started: execution_id !== null && run ? { execution_id, chip_id: run.chip_id } : null,
      };
    },
  };
}

/** Milliseconds after a due time beyond which no run is started for it. */
const latenessLimit = (schedule: ScheduleDocument) => LATENESS_LIMIT + schedule.jitter_seconds * 1000;

/**
 * The due time that a start is for. If an outage has made it too late, this is the last due time of the cron expression that
 * is not too late, if there is one. The engine skips due times that pass while an earlier one is waiting.
 */
function dueTimeToMeet(schedule: ScheduleDocument, due: Date, now: Date): Date {
  if (schedule.cron === null || now.getTime() - due.getTime() <= latenessLimit(schedule)) return due;
  return lastDueTime(readCron(schedule.cron), schedule.timezone, now, LATENESS_LIMIT) ?? due;
}
