import { defineSignal } from '@temporalio/workflow';
import { messageNames } from '../shared/kernel/engine/message-names.ts';

/** Anybody may send these from the engine's UI with anything, or nothing, as input: see message-input.ts. */
export const pauseSignal = defineSignal<[unknown?]>(messageNames.pause);
export const resumeSignal = defineSignal<[unknown?]>(messageNames.resume);
export const stopSignal = defineSignal<[unknown?]>(messageNames.stopAfterCurrent);
export const approvalSignal = defineSignal<[unknown?]>(messageNames.approval);

/** Something waits to be sent to the chat. */
export const chatWaitingSignal = defineSignal<[unknown?]>(messageNames.chatWaiting);

/** What was asked of a run, as the run tells its stage: a {@link RunControl}. */
export const controlSignal = defineSignal<[unknown?]>('control');
