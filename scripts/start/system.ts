import type { Settings } from '../../shared/domain/settings.ts';
import { clearStartProgress, writeStartProgress } from '../../shared/kernel/engine/start-progress.ts';
import { backendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import { type RememberedProcess, stopRemembered } from '../engines/state.ts';
import { bridgeWait } from './bridging-api.ts';
import { mongodbService, temporalService } from './engine-services.ts';
import {
  apiService,
  environmentOf,
  instrumentService,
  updaterService,
  workerService,
} from './own-services.ts';
import type { Addresses, ServiceContext } from './service-context.ts';
import { keepAlive, type Service, startOrAdopt, stopLeft } from './services.ts';
import type { UiProxy } from './ui-proxy.ts';

/** Settings of a worker that does not serve the simulator, because the instrument of the demonstration does. */
function withoutSimulator(settings: Settings): Settings {
  const simulated = backendQueue(SIMULATOR_BACKEND);
  return { ...settings, WORKER_QUEUES: settings.WORKER_QUEUES.filter((queue) => queue !== simulated) };
}

/**
 * The processes of a data directory: two engines, the API, a worker, and an updater if enabled.
 * @param context `demo` adds the instrument of the demonstration; `uiProxy` asks for a token before Temporal's web interface
 */
export function createSystem(
  context: Omit<ServiceContext, 'addresses'> & { demo: boolean; uiProxy: UiProxy },
) {
  const { directory, report, signal, demo, uiProxy } = context;
  const settings = demo ? withoutSimulator(context.settings) : context.settings;
  const addresses: Addresses = {
    temporal: settings.TEMPORAL_ADDRESS,
    temporalUi: settings.TEMPORAL_UI_URL,
    mongodb: settings.MONGODB_URI,
    api: '',
  };
  const all: ServiceContext = { ...context, settings, addresses };
  const temporal = temporalService({ ...all, report: reportOfTemporal }, uiProxy);
  const mongodb = mongodbService(all);
  const api = apiService(all);
  const worker = workerService(all);
  const updater = updaterService(all);
  const instrument = instrumentService(all);
  const services = [
    ...[api, worker],
    ...(demo ? [instrument] : []),
    ...(settings.SYSTEM_UPDATES === 'on' ? [updater] : []),
  ];
  const up = new Map<Service, RememberedProcess>();

  /** Also for the API, which shows it while it serves without Temporal. */
  function reportOfTemporal(line: string): void {
    report(line);
    void writeStartProgress(directory.root, line);
  }

  /** Starts Temporal, and shows its progress. */
  async function raiseTemporal(): Promise<void> {
    try {
      await raise(temporal);
    } finally {
      await clearStartProgress(directory.root);
    }
  }

  /** Starts a service, or adopts it if it runs already. */
  async function raise(service: Service): Promise<void> {
    signal.throwIfAborted();
    const process = await startOrAdopt(directory, service, report);
    note(service, process);
    await openUi(process);
  }

  /** Opens the web interface of a Temporal server that is behind the proxy. */
  async function openUi({ uiPort, innerUiPort }: RememberedProcess): Promise<void> {
    if (uiPort === undefined || innerUiPort === undefined) return;
    await uiProxy.open(uiPort, innerUiPort).catch((thrown: unknown) => {
      report(`the Temporal UI is not there, because port ${uiPort} cannot be used: ${messageOf(thrown)}`);
    });
  }

  /** Remembers a process and its address. */
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

  /** Address of Temporal's web interface: the setting if given, otherwise the engine's own, or the default. */
  function uiOf(process: RememberedProcess): string {
    if (globalThis.process.env.TEMPORAL_UI_URL) return settings.TEMPORAL_UI_URL;
    return process.uiAddress ?? settings.TEMPORAL_UI_URL;
  }

  return {
    addresses,

    /** The environment of our programs, with the addresses of the engines that run by now. */
    environment: () => environmentOf(all, 0),

    /**
     * Starts everything. `prepareStore` runs between the start of the store and that of the API, and Temporal may become ready
     * meanwhile.
     */
    async start(prepareStore: (temporalReady: Promise<void>) => Promise<void>): Promise<void> {
      const temporalReady = raiseTemporal();
      const storeReady = raise(mongodb).then(() => prepareStore(temporalReady));
      const [, bridging] = await Promise.all([
        temporalReady,
        storeReady.then(() => bridgeWait(all, temporalReady, temporal.elsewhere)),
      ]);
      if (bridging) {
        report('Temporal is there; the API is started again with it');
        await stopRemembered(bridging, api.graceMs);
      }
      for (const optional of [instrument, updater]) {
        if (!services.includes(optional)) await stopLeft(directory, optional, report);
      }
      // In a Temporal of the lab, API and worker create the namespace, without which an instrument cannot start.
      const isLater = (service: Service) => temporal.elsewhere && service === instrument;
      await Promise.all(services.filter((service) => !isLater(service)).map(raise));
      await Promise.all(services.filter(isLater).map(raise));
    },

    /** Restarts processes that die, until the signal aborts. */
    keepAlive(signal: AbortSignal): void {
      for (const [service, process] of up) {
        void keepAlive(directory, service, process, {
          signal,
          report,
          onRestart: async (restarted) => {
            const before = { ...addresses };
            note(service, restarted);
            await openUi(restarted);
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

  /** Stops all services because the addresses of their engines have changed. `keepAlive` restarts them with the new ones. */
  async function stopServices(): Promise<void> {
    for (const service of services) {
      const process = up.get(service);
      if (process) await stopRemembered(process, service.graceMs);
    }
  }
}
