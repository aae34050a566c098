/** Pause, resume and stop of a run, as its workflow keeps them. */
import { CancellationScope, condition, setHandler } from '@temporalio/workflow';
import type { HeldRun, RunControl, RunPolicy } from '../shared/domain/runs/run-model.ts';
import { recordKeeping } from './policies.ts';
import { pauseSignal, resumeSignal, stopSignal } from './signals.ts';

export type RunController = ReturnType<typeof createRunController>;

/** Takes the signals of a run and keeps what they ask for. Call it before the run waits for anything. */
export function createRunController() {
  let control: RunControl = { paused: null, stopping: null, changed_at: null };
  let revision = 0;
  let show = () => {};
  const change = (to: Partial<RunControl>) => {
    control = { ...control, ...to, changed_at: new Date().toISOString() };
    revision += 1;
    show();
  };
  const asked = (who?: { by?: string }) => ({
    by: who?.by ?? 'an operator',
    at: new Date().toISOString(),
  });
  setHandler(pauseSignal, (who) => {
    if (!control.paused) change({ paused: asked(who) });
  });
  setHandler(resumeSignal, () => {
    if (control.paused) change({ paused: null });
  });
  setHandler(stopSignal, (who) => {
    if (!control.stopping) change({ stopping: asked(who) });
  });

  return {
    current: () => control,
    revision: () => revision,

    /** Calls `view` after each change, to show it. */
    shownBy(view: () => void): void {
      show = view;
    },

    /** Waits while the run is paused; a stop ends the wait. */
    whileGoing: () => condition(() => !control.paused || control.stopping !== null),

    /**
     * Waits until people stop the run, `done` holds, or `limit` ms have passed.
     * @returns true when the limit came first
     */
    async waited(done: () => boolean, limit: number, summary: string): Promise<boolean> {
      return !(await condition(() => control.stopping !== null || done(), limit, { summary }));
    },

    /**
     * While `body` runs, calls `tell` after each change since `told`, one call at a time. A `tell` that fails is
     * over: its receiver has ended.
     */
    async telling<T>(
      told: number,
      tell: (control: RunControl) => Promise<void>,
      body: () => Promise<T>,
    ): Promise<T> {
      const scope = new CancellationScope();
      const followed = scope
        .run(async () => {
          for (let seen = told; ; ) {
            await condition(() => revision !== seen);
            seen = revision;
            await tell(control);
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

/** Runs `body` while what people ask of the run is written to its execution. */
export function recordingControl<T>(
  run: HeldRun,
  policy: RunPolicy,
  controller: RunController,
  body: () => Promise<T>,
): Promise<T> {
  const records = recordKeeping(policy, 'note what was asked of the run');
  return controller.telling(0, (control) => records.noteControl({ run, control }), body);
}

/** What a paused run waits for. */
export function pauseSentence({ paused }: RunControl): string | null {
  return paused && `resume: ${paused.by} paused the run at ${paused.at.slice(11, 16)} UTC`;
}
