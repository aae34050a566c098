/** Handlers of the requests of users to a run: pause, resume and stop. */
import { ApplicationFailure, setHandler } from '@temporalio/workflow';
import type { RunControl } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { askedBy } from './message-input.ts';
import { pauseSignal, resumeSignal, stopSignal } from './signals.ts';
import { pauseUpdate, resumeUpdate, stopUpdate } from './updates.ts';

const BY = 'Input: {"by": "<your name>"}, or none.';

/** Sets the handlers of the signals and updates of a run. */
export function handleRequests({
  control,
  change,
  isEnding,
  untilShown,
}: {
  control(): RunControl;
  change(to: Partial<RunControl>): void;
  /** Whether the run takes no more requests. */
  isEnding(): boolean;
  /** Waits until the execution shows the latest request. */
  untilShown(): Promise<void>;
}): void {
  const request = (given: unknown) => ({ ...askedBy(given), at: new Date().toISOString() });

  /** `refuse` returns why a request has no effect. A refused signal is ignored. */
  const actions = [
    {
      signal: pauseSignal,
      update: pauseUpdate,
      description: `Begins no measurement until the run is resumed; those in flight end. ${BY}`,
      refuse: () => control().paused && refusal(failureTypes.alreadyPaused, 'The run is already paused.'),
      carryOut: (given: unknown) => change({ paused: request(given) }),
    },
    {
      signal: resumeSignal,
      update: resumeUpdate,
      description: 'Resumes a paused run. Input: none.',
      refuse: () => (control().paused ? null : refusal(failureTypes.notPaused, 'The run is not paused.')),
      carryOut: () => change({ paused: null }),
    },
    {
      signal: stopSignal,
      update: stopUpdate,
      description: `Ends the run once the measurements in flight have ended. ${BY}`,
      refuse: () => null,
      carryOut: (given: unknown) => {
        if (!control().stopping) change({ stopping: request(given) });
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
        await untilShown();
        return control();
      },
      {
        description,
        validator(_given?: unknown) {
          const refused = isEnding() ? refusal(failureTypes.runEnding, 'The run is ending.') : refuse();
          if (refused) throw refused;
        },
      },
    );
  }
}

/** Why an update is refused. */
export function refusal(type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}
