import { freePort, isHealthy, PortTaken, startMongo, startTemporal } from '../engines/processes.ts';
import { findEngine } from '../engines/sources.ts';
import type { RecordedProcess } from '../engines/state.ts';
import type { EngineName, EngineProcess, EngineSource } from '../engines/types.ts';
import type { Member } from './members.ts';
import { logFileOf } from './place.ts';
import { choosePort } from './ports.ts';
import type { Surroundings } from './system.ts';

const USUAL_PORTS = { temporal: 7233, temporalUi: 8233, mongodb: 27017 };
/** Engines write before they acknowledge: a kill loses nothing, so waiting longer for a clean end buys nothing. */
const ENGINE_GRACE_MS = 3_000;
const PORT_ATTEMPTS = 5;

export function temporalMember({ settings, place, report }: Surroundings): Member {
  return engineMember('temporal', 'Temporal', 'TEMPORAL_ADDRESS', async (previous) => {
    const source = await findEngine('temporal', report);
    return onFreePort(source, async (attempt) => {
      const port = await portFor('Temporal', attempt, [previous?.port, USUAL_PORTS.temporal]);
      const uiPort = await portFor("Temporal's UI", attempt, [previous?.uiPort, USUAL_PORTS.temporalUi]);
      return startTemporal(source, {
        port,
        uiPort,
        databaseFile: place.temporalFile,
        synchronous: 'FULL',
        namespace: settings.TEMPORAL_NAMESPACE,
        logFile: logFileOf(place, 'temporal'),
      });
    });
  });

  function portFor(title: string, attempt: number, wanted: (number | undefined)[]): Promise<number> {
    return attempt === 1 ? choosePort(title, wanted, report) : freePort();
  }
}

export function mongodbMember({ place, report }: Surroundings): Member {
  return engineMember('mongodb', 'the database', 'MONGODB_URI', async (previous) => {
    const source = await findEngine('mongodb', report);
    return onFreePort(source, async (attempt) =>
      startMongo(source, {
        port:
          attempt === 1
            ? await choosePort('the database', [previous?.port, USUAL_PORTS.mongodb], report)
            : await freePort(),
        dataPath: place.mongoDirectory,
        logFile: logFileOf(place, 'mongodb'),
      }),
    );
  });
}

function engineMember(
  name: EngineName,
  title: string,
  addressVariable: string,
  start: (previous: RecordedProcess | undefined) => Promise<RecordedProcess>,
): Member {
  return {
    name,
    title,
    graceMs: ENGINE_GRACE_MS,
    elsewhere: Boolean(process.env[addressVariable]),
    isFit: (recorded) => isHealthy({ ...recorded, name }),
    start,
  };
}

/** Another process may take a port between our choosing it and the engine's use of it. */
async function onFreePort(
  source: EngineSource,
  start: (attempt: number) => Promise<EngineProcess>,
): Promise<EngineProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(attempt);
    } catch (error) {
      if (source.kind === 'address' || !(error instanceof PortTaken) || attempt === PORT_ATTEMPTS)
        throw error;
    }
  }
}
