/**
 * The demonstration instrument: the simulated chip in a separate process, connected through the same contract as a
 * laboratory's instrument. BACKEND names the backend that it serves.
 */
import { readMeasureResult } from '../../activities/backends/backend.ts';
import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { tellSourcePositions } from '../../shared/kernel/source-positions.ts';
import { SIMULATOR_BACKEND } from '../../shared/tasks/model.ts';
import { type Instrument, serveBackend } from './backend-worker.ts';

/** Maximum number of concurrent measurements: a simulated chip has one line for each qubit. */
const AT_ONCE = 64;

async function main(): Promise<void> {
  tellSourcePositions();
  const settings = readSettings(process.env);
  const simulator = createSimulator({
    ...(settings.SIMULATOR_SEED ? { seed: settings.SIMULATOR_SEED } : {}),
    ...(settings.SIMULATOR_NOISE_SEED ? { noiseSeed: settings.SIMULATOR_NOISE_SEED } : {}),
    ...(settings.SIMULATOR_FAULTS ? { faultsPath: settings.SIMULATOR_FAULTS } : {}),
    timeScale: settings.SIMULATOR_SECONDS,
  });
  const instrument: Instrument = {
    async measure(request, signal) {
      const result = readMeasureResult(await simulator.measure(request, { signal, heartbeat: () => {} }));
      if (typeof result === 'string') throw new Error(result);
      return result;
    },
  };
  await serveBackend({
    backend: process.env['BACKEND'] || SIMULATOR_BACKEND,
    instrument,
    atOnce: AT_ONCE,
    journal: settings.SIMULATOR_JOURNAL,
    temporal: await engineAccess(settings),
  });
}

main().catch((thrown: unknown) => {
  console.error(messageOf(thrown));
  process.exit(1);
});
