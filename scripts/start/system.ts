import { type RememberedProcess, stopRemembered } from '../engines/state.ts';
import { mongodbService, temporalService } from './engine-services.ts';
import { apiService, workerService } from './own-services.ts';
import type { Addresses, ServiceContext } from './service-context.ts';
import { keepAlive, type Service, startOrAdopt } from './services.ts';

/** A wait for Temporal, when all else is ready, after which the person who waits is told. */
const WAIT_WORTH_TELLING_MS = 5_000;

/** The four processes of a data directory: two engines, the API and a worker. */
export function createSystem(context: Omit<ServiceContext, 'addresses'>) {
  const { settings, directory, report, signal } = context;
  const addresses: Addresses = {
    temporal: settings.TEMPORAL_ADDRESS,
    temporalUi: settings.TEMPORAL_UI_URL,
    mongodb: settings.MONGODB_URI,
    api: '',
  };
  const all: ServiceContext = { ...context, addresses };
  const temporal = temporalService(all);
  const mongodb = mongodbService(all);
  const api = apiService(all);
  const worker = workerService(all);
  const up = new Map<Service, RememberedProcess>();

  async function raise(service: Service): Promise<void> {
    signal.throwIfAborted();
    note(service, await startOrAdopt(directory, service, report));
  }

  function note(service: Service, process: RememberedProcess): void {
    up.set(service, process);
    if (service === temporal) {
      addresses.temporal = process.address;
      addresses.temporalUi = uiOf(process);
    } else if (service === mongodb) {
      addresses.mongodb = process.address;
    } else if (service === api) {
      addresses.api = process.address;
    }
  }

  /** The setting where it is given; else where the engine's own interface is, or would be. */
  function uiOf(process: RememberedProcess): string {
    if (globalThis.process.env.TEMPORAL_UI_URL) return settings.TEMPORAL_UI_URL;
    return process.uiAddress ?? settings.TEMPORAL_UI_URL;
  }

  /** It may be downloaded or built first, which takes minutes. */
  async function tellOfWait(temporalReady: Promise<void>): Promise<void> {
    const wait = setTimeout(
      () =>
        report('all else is ready: database, accounts, programs; the API and a worker start with Temporal'),
      WAIT_WORTH_TELLING_MS,
    );
    await temporalReady.catch(() => undefined);
    clearTimeout(wait);
  }

  return {
    addresses,

    /** Brings all up; `prepareStore` runs between the store and the API. */
    async start(prepareStore: () => Promise<void>): Promise<void> {
      const storeReady = raise(mongodb).then(prepareStore);
      const temporalReady = raise(temporal);
      await Promise.all([temporalReady, storeReady.then(() => tellOfWait(temporalReady))]);
      await Promise.all([raise(api), raise(worker)]);
    },

    /** Starts again whatever dies, until the signal. */
    keepAlive(signal: AbortSignal): void {
      for (const [service, process] of up) {
        void keepAlive(directory, service, process, {
          signal,
          report,
          onRestart: async (restarted) => {
            const before = { ...addresses };
            note(service, restarted);
            const moved =
              before.temporal !== addresses.temporal ||
              before.mongodb !== addresses.mongodb ||
              before.temporalUi !== addresses.temporalUi;
            if (moved) await stopServices();
          },
        });
      }
    },
  };

  /** Their engines are elsewhere now: each is stopped, and its keeper starts it with the new addresses. */
  async function stopServices(): Promise<void> {
    for (const service of [api, worker]) {
      const process = up.get(service);
      if (process) await stopRemembered(process, service.graceMs);
    }
  }
}
