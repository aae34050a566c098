/** Pause, resume and stop of a run, as part of the state of its workflow. */
import { ApplicationFailure, CancellationScope, condition, setHandler } from '@temporalio/workflow';
import { minuteText, preemptionText } from '../shared/domain/executions/status-rules.ts';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { askedBy } from './message-input.ts';
import { recordKeeping } from './policies.ts';
import { pauseSignal, resumeSignal, stopSignal } from './signals.ts';
import { pauseUpdate, resumeUpdate, stopUpdate } from './updates.ts';

export type RunController = ReturnType<typeof createRunController>;

const BY = 'Input: {"by": "<your name>"}, or none.';

/**
 * Handles the signals and updates of a run. An update is answered when the execution shows its effect. Call this before the
 * run first waits.
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
  const request = (given: unknown) => ({ ...askedBy(given), at: new Date().toISOString() });

  /** `refuse` returns why a request has no effect. A refused signal is ignored. */
  const actions = [
    {
      signal: pauseSignal,
      update: pauseUpdate,
      description: `Begins no measurement until the run is resumed; those in flight end. ${BY}`,
      refuse: () => control.paused && refusal(failureTypes.alreadyPaused, 'The run is already paused.'),
      carryOut: (given: unknown) => change({ paused: request(given) }),
    },
    {
      signal: resumeSignal,
      update: resumeUpdate,
      description: 'Resumes a paused run. Input: none.',
      refuse: () => (control.paused ? null : refusal(failureTypes.notPaused, 'The run is not paused.')),
      carryOut: () => change({ paused: null }),
    },
    {
      signal: stopSignal,
      update: stopUpdate,
      description: `Ends the run once the measurements in flight have ended. ${BY}`,
      refuse: () => null,
      carryOut: (given: unknown) => {
        if (!control.stopping) change({ stopping: request(given) });
      },
    },
  ];
  for (const { signal, update, description, refuse, carryOut } of actions) {
    setHandler(
      signal,
      (given) => {
        if (!refuse()) carryOut(given);
      },
      { description },
    );
    setHandler(
      update,
      async (given?: unknown) => {
        carryOut(given);
        const mine = revision;
        await condition(() => shownRevision >= mine || ending);
        return control;
      },
      {
        description,
        validator(_given?: unknown) {
          const refused = ending ? refusal(failureTypes.runEnding, 'The run is ending.') : refuse();
          if (refused) throw refused;
        },
      },
    );
  }

  return {
    current: () => control,
    revision: () => revision,

    /** Notes that the execution shows the requests up to this revision. */
    shown(upTo: number): void {
      shownRevision = upTo;
    },

    /** Notes which run uses the chip in between, or the epoch with which this one goes on. */
    lend(to: string): void {
      control = { ...control, preempted_by: to };
      revision += 1;
      show();
    },
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

/** Why an update is refused. */
export function refusal(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
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
