import { setTimeout as sleep } from 'node:timers/promises';
import type { RememberedProcess } from '../engines/state.ts';
import { apiService } from './own-services.ts';
import type { ServiceContext } from './service-context.ts';
import { startOrAdopt } from './services.ts';

/** When all else is ready, the API is started without Temporal after waiting this long for it. */
const WAIT_WORTH_BRIDGING_MS = 10_000;
/** An address at which no server listens. */
const UNREACHABLE_ADDRESS = '127.0.0.1:1';

/**
 * Runs an API while Temporal is downloaded or built, which takes minutes. This API gets no address of Temporal, because
 * a foreign server may listen on the port intended for ours.
 * @param isElsewhere whether Temporal is a server of the lab, with an address that is known from the start
 * @returns the API, which must be replaced when Temporal is ready; null if the wait was short
 */
export async function bridgeWait(
  context: ServiceContext,
  temporalReady: Promise<void>,
  isElsewhere: boolean,
): Promise<RememberedProcess | null> {
  const { addresses, directory, report, signal } = context;
  const settled = temporalReady.then(
    () => true,
    () => true,
  );
  if (await Promise.race([settled, sleep(WAIT_WORTH_BRIDGING_MS, false, { ref: false })])) return null;
  signal.throwIfAborted();
  const alone = {
    ...context,
    addresses: { ...addresses, ...(!isElsewhere && { temporal: UNREACHABLE_ADDRESS }) },
  };
  const process = await startOrAdopt(directory, apiService(alone, '/healthz'), report);
  report(
    `all else is ready, and the API answers at ${process.address}; what needs Temporal is answered with 503 until it is there`,
  );
  return process;
}
