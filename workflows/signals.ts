import { defineSignal } from '@temporalio/workflow';
import type { RunControl } from '../shared/domain/runs/run-model.ts';
import { signalNames } from '../shared/kernel/engine/signal-names.ts';

/** Operators may send these from the engine's UI, then without saying who they are. */
export const pauseSignal = defineSignal<[{ by?: string }?]>(signalNames.pause);
export const resumeSignal = defineSignal(signalNames.resume);
export const stopSignal = defineSignal<[{ by?: string }?]>(signalNames.stopAfterCurrent);

/** Wakes a run whose approval is answered; the answer itself is in the store. */
export const approvalSignal = defineSignal<[{ index: number }]>(signalNames.approval);

/** What was asked of a run, as the run tells its stage. */
export const controlSignal = defineSignal<[RunControl]>('control');
