import type { MeasureRequest } from '../backend.ts';
import type { InstrumentControl } from '../host.ts';
import type { FaultRule } from './faults.ts';

/** How often a waiting instrument says that it lives; the contract asks for at least every 3 s. */
const HEARTBEAT_MS = 1000;

/** How a measurement hears of an abort, says that it lives, and has its answer kept. */
export type MeasureControl = Pick<InstrumentControl, 'signal' | 'heartbeat'> & Partial<InstrumentControl>;

/** Waits, unless aborted; Infinity waits for the abort alone. Heartbeats at the start and each second, if wanted. */
async function waitAbortably(
  seconds: number,
  control: MeasureControl,
  heartbeats: 'heartbeats' | 'silent' = 'heartbeats',
): Promise<void> {
  control.signal.throwIfAborted();
  if (heartbeats === 'heartbeats') control.heartbeat();
  if (!(seconds > 0)) return;
  let beat: NodeJS.Timeout | undefined;
  let end: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      stop = () => reject(control.signal.reason);
      control.signal.addEventListener('abort', stop, { once: true });
      if (heartbeats === 'heartbeats') beat = setInterval(() => control.heartbeat(), HEARTBEAT_MS);
      // A timer takes at most 2^31 ms; whoever waits longer waits for the abort.
      if (seconds * 1000 < 2 ** 31) end = setTimeout(resolve, seconds * 1000);
    });
  } finally {
    clearInterval(beat);
    clearTimeout(end);
    if (stop !== undefined) control.signal.removeEventListener('abort', stop);
  }
}

/**
 * Lets the time pass that a measurement takes, or that its fault makes of it.
 *
 * @param usual seconds of a measurement without fault
 * @throws at the request's deadline when it stalls; the signal's reason when it is aborted
 */
export async function spendTime(
  fault: FaultRule | undefined,
  request: Pick<MeasureRequest, 'deadline'>,
  control: MeasureControl,
  usual: number,
): Promise<void> {
  switch (fault?.behaviour) {
    case 'silent':
      return waitAbortably(Number.POSITIVE_INFINITY, control, 'silent');
    case 'stall':
      await waitAbortably((Date.parse(request.deadline) - Date.now()) / 1000, control);
      throw new Error('The measurement did not end before its deadline.');
    case 'disconnect':
      await waitAbortably(usual / 2, control);
      return waitAbortably(fault.seconds, control, 'silent');
    case 'slow':
      return waitAbortably(fault.seconds ?? usual, control);
    default:
      return waitAbortably(usual, control);
  }
}
