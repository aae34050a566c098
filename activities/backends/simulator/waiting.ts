import type { MeasureRequest } from '../backend.ts';
import type { InstrumentControl } from '../host.ts';
import type { FaultRule } from './faults.ts';

/** Milliseconds between heartbeats of a waiting instrument. The contract requires one at least every 3 s. */
const HEARTBEAT_MS = 1000;

/** How a measurement learns of an abort, sends heartbeats, and stores its answer. */
export type MeasureControl = Pick<InstrumentControl, 'signal' | 'heartbeat'> & Partial<InstrumentControl>;

/** Waits until the time is over or the signal aborts; Infinity waits only for the abort. Optional heartbeats every second. */
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
      // Timers are limited to 2^31 ms; a longer wait only ends with the abort.
      if (seconds * 1000 < 2 ** 31) end = setTimeout(resolve, seconds * 1000);
    });
  } finally {
    clearInterval(beat);
    clearTimeout(end);
    if (stop !== undefined) control.signal.removeEventListener('abort', stop);
  }
}

/**
 * Waits for the duration of a measurement, as changed by its fault.
 *
 * @param usual seconds of a measurement without fault
 * @throws at the request's deadline if it stalls; the signal's reason when it is aborted
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
