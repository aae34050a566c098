import { defineSignal } from '@temporalio/workflow';
import { messageNames } from '../shared/kernel/engine/message-names.ts';

/** Users can send these from the Temporal UI with any input or none; message-input.ts parses it. */
export const pauseSignal = defineSignal<[unknown?]>(messageNames.pause);
export const resumeSignal = defineSignal<[unknown?]>(messageNames.resume);
export const stopSignal = defineSignal<[unknown?]>(messageNames.stopAfterCurrent);
export const approvalSignal = defineSignal<[unknown?]>(messageNames.approval);

/** A message waits to be sent to the chat. */
export const chatWaitingSignal = defineSignal<[unknown?]>(messageNames.chatWaiting);

/** Tells a run what its stage waits for, as text; null once it goes on. */
export const stageWaitSignal = defineSignal<[unknown?]>('stage_waits');

/** Tells a run that its stage measures nothing any more, while this execution, as text, uses the chip in between. */
export const stageQuietSignal = defineSignal<[unknown?]>('stage_quiet');

/** Relays the requests of users from a run to its stage, as a {@link RunControl}. */
export const controlSignal = defineSignal<[unknown?]>('control');
