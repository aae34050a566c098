import { keptSecret } from '../../shared/kernel/files/kept-secret.ts';
import { freePort, isHealthy, PortTaken, startMongo, startTemporal } from '../engines/processes.ts';
import { findEngine } from '../engines/sources.ts';
import type { RememberedProcess } from '../engines/state.ts';
import { findStoreFor, storeKindOf } from '../engines/store-kind.ts';
import type { EngineName, EngineProcess, Report } from '../engines/types.ts';
import { finishReplacement } from '../store/replace-store.ts';
import { logFileOf } from './data-directory.ts';
import { choosePort } from './ports.ts';
import type { ServiceContext } from './service-context.ts';
import type { Service } from './services.ts';
import type { UiProxy } from './ui-proxy.ts';

const USUAL_PORTS = { temporal: 7233, temporalUi: 8233, mongodb: 27017 };
/** Engines write before they acknowledge, so a kill loses nothing, and a longer wait for a clean end gains nothing. */
const ENGINE_GRACE_MS = 3_000;
const PORT_ATTEMPTS = 5;

/**
 * Temporal's server.
 * @param uiProxy is closed while Temporal starts, because it listens on the port of the UI, which is chosen again
 */
export function temporalService(
  { settings, directory, report, signal }: ServiceContext,
  uiProxy: Pick<UiProxy, 'close'>,
): Service {
  return engineMember('temporal', 'Temporal', 'TEMPORAL_ADDRESS', async (previous) => {
    const source = await findEngine('temporal', report);
    if (source.kind === 'address') return startTemporal(source, { ...options(), port: 0 });
    await uiProxy.close();
    return onFreePorts(report, async (portFor) => {
      const port = await portFor('Temporal', previous?.port, USUAL_PORTS.temporal);
      const uiPort = await portFor("Temporal's UI", previous?.uiPort, USUAL_PORTS.temporalUi);
      const innerUiPort = await freePort();
      signal.throwIfAborted();
      const engine = await startTemporal(source, { ...options(), port, uiPort: innerUiPort });
      return { ...engine, innerUiPort, uiPort, uiAddress: `http://127.0.0.1:${uiPort}` };
    });
  });

  function options() {
    return {
      databaseFile: directory.temporalFile,
      synchronous: 'FULL' as const,
      namespace: settings.TEMPORAL_NAMESPACE,
      logFile: logFileOf(directory, 'temporal'),
    };
  }
}

/** The store's server. */
export function mongodbService({ directory, report, signal }: ServiceContext): Service {
  return engineMember('mongodb', 'the database', 'MONGODB_URI', async (previous) => {
    await finishReplacement(directory.mongoDirectory);
    const source = await findStoreFor(directory.mongoDirectory, report);
    const options = { dataPath: directory.mongoDirectory, logFile: logFileOf(directory, 'mongodb') };
    if (source.kind === 'address') {
      if (await storeKindOf(directory.mongoDirectory)) {
        report(
          `mongodb: the data in ${directory.mongoDirectory} is not used, because MONGODB_URI names another server`,
        );
      }
      return startMongo(source, { ...options, port: 0 });
    }
    return onFreePorts(report, async (portFor) => {
      const port = await portFor('the database', previous?.port, USUAL_PORTS.mongodb);
      const passwordFile = directory.storePasswordFile;
      await keptSecret(passwordFile);
      signal.throwIfAborted();
      return startMongo(source, { ...options, port, passwordFile });
    });
  });
}

/** A service that runs an engine, unless its address is set. */
function engineMember(
  name: EngineName,
  title: string,
  addressVariable: string,
  start: (previous: RememberedProcess | undefined) => Promise<RememberedProcess>,
): Service {
  return {
    name,
    title,
    graceMs: ENGINE_GRACE_MS,
    elsewhere: Boolean(process.env[addressVariable]),
    isFit: (recorded) => isHealthy({ ...recorded, name }),
    start,
  };
}

/** Chooses a port: the remembered one, the usual one, or any. */
type PortFor = (title: string, remembered: number | undefined, usual: number) => Promise<number>;

/** Retries with any other port, because a process may take the port between our choice and the engine's start. */
async function onFreePorts(
  report: Report,
  start: (portFor: PortFor) => Promise<EngineProcess>,
): Promise<EngineProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start((title, remembered, usual) =>
        attempt === 1 ? choosePort(title, [remembered, usual], report, { remembered }) : freePort(),
      );
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
