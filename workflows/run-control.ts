/** Pause, resume and stop of a run, as part of the state of its workflow. */
import { CancellationScope, condition } from '@temporalio/workflow';
import { minuteText, preemptionText } from '../shared/domain/executions/status-rules.ts';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { recordKeeping } from './policies.ts';
import { handleRequests } from './run-requests.ts';

export type RunController = ReturnType<typeof createRunController>;

/**
 * The state of a run that users request, with the handlers of its signals and updates. An update is answered when the execution
 * shows its effect. Call this before the run first waits.
 */
export function createRunController() {
  let control: RunControl = { paused: null, stopping: null, changed_at: null };
  let revision = 0;
  let shownRevision = 0;
  let ending = false;
  let localActivityRuns = false;
  let show = () => {};
  const change = (to: Partial<RunControl>) => {
    control = { ...control, ...to, changed_at: new Date().toISOString() };
    revision += 1;
    show();
  };
  handleRequests({
    control: () => control,
    change,
    isEnding: () => ending,
    untilShown: () => {
      const mine = revision;
      return condition(() => shownRevision >= mine || ending);
    },
  });

  return {
    current: () => control,
    revision: () => revision,

    /** Notes that the execution shows the requests up to this revision. */
    shown(upTo: number): void {
      shownRevision = upTo;
    },

    /** Notes which run uses the chip in between. */
    lend(to: string): void {
      control = { ...control, preempted_by: to };
      revision += 1;
      show();
    },
    /** Notes the epoch with which this run continues. */
    goOn(epoch: number): void {
      const { preempted_by: _, ...rest } = control;
      control = { ...rest, epoch };
      revision += 1;
      show();
    },

    /** Refuses all further requests. */
    end(): void {
      ending = true;
    },

    /** Runs a local activity. Requests that arrive meanwhile are relayed after it. */
    async withLocalActivity<T>(activity: () => Promise<T>): Promise<T> {
      localActivityRuns = true;
      try {
        return await activity();
      } finally {
        localActivityRuns = false;
      }
    },

    /** Waits while a local activity runs, because a message that arrives meanwhile would have no fixed order with its answer. */
    betweenLocalActivities: () => condition(() => !localActivityRuns),

    /** Calls `view` after each change. */
    shownBy(view: () => void): void {
      show = view;
    },

    /** Waits while the run is paused. A stop ends the wait. */
    whileGoing: () => condition(() => !control.paused || control.stopping !== null),

    /** Waits until the run is stopped, `done` holds, or `limit` ms have passed. */
    async waitUntil(done: () => boolean, limit: number, summary: string): Promise<void> {
      await condition(() => control.stopping !== null || done(), limit, { summary });
    },

    /**
     * While `body` runs, calls `tell` after each change since revision `since`, one call at a time. After a failed call it
     * stops, because the receiver has ended.
     */
    async relaying<T>(
      since: number,
      tell: (control: RunControl, revision: number) => Promise<void>,
      body: () => Promise<T>,
    ): Promise<T> {
      const scope = new CancellationScope();
      const followed = scope
        .run(async () => {
          for (let seen = since; ; ) {
            // Otherwise a signal and a local activity that complete together would have no fixed order.
            await condition(() => revision !== seen && !localActivityRuns);
            seen = revision;
            await tell(control, seen);
          }
        })
        .catch(() => undefined);
      try {
        return await body();
      } finally {
        scope.cancel();
        await CancellationScope.nonCancellable(() => followed);
      }
    },
  };
}

/** Runs `body` and meanwhile writes the requests of users to the execution. */
export function recordingControl<T>(
  run: HeldRun,
  policy: RunPolicy,
  controller: RunController,
  body: () => Promise<T>,
): Promise<T> {
  const records = recordKeeping(policy, 'note what was asked of the run');
  const note = async (control: RunControl, revision: number) => {
    await records.noteControl({ run, control });
    controller.shown(revision);
  };
  return controller.relaying(0, note, body).finally(controller.end);
}

/** Whether no measurement may start for now. */
export function isHeldBack({ paused, preempted_by }: RunControl): boolean {
  return paused !== null || preempted_by !== undefined;
}

/** The message that shows what a preempted or paused run waits for. */
export function pauseReason({ paused, preempted_by }: RunControl): string | null {
  if (preempted_by !== undefined) return preemptionText(preempted_by);
  return paused && `resume, since ${paused.by} paused the run at ${minuteText(paused.at)}`;
}
