import { fileURLToPath } from 'node:url';
import { windowsFile } from '../../shared/domain/maintenance/index.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { openLaboratory } from '../../test/support/laboratory.ts';
import type { Figure } from './figure.ts';
import { chipWith, faultAt } from './maintain/chip.ts';
import { decidedAlone, decidedByRuns } from './maintain/engine-day.ts';

/** Noise that measurements have in both ways of running. */
const NOISE = 'day';
const WHOLE = { qubits: 4, hours: 24 };
const SMALL = { qubits: 2, hours: 4 };

/**
 * A day of hourly maintenance of a drifting chip with two faults, by runs on Temporal and the store and without them: counts the
 * decisions, and prints those that differ.
 */
export async function benchMaintainDay(small: boolean): Promise<Figure[]> {
  const { qubits, hours: count } = small ? SMALL : WHOLE;
  const qids = Array.from({ length: qubits }, (_, index) => String(index));
  const hours = Array.from({ length: count }, (_, hour) => hour);
  const faults = [
    faultAt(0.25 * count, { qid: '1', incident: 'frequency_jump', size: 1 }),
    faultAt(0.5 * count, { qid: '0', incident: 'drive_step', size: 1 }),
  ];
  const chip = chipWith({ seed: 'DAY', qids, hours: count, faults });
  const settings = await windowsFile.read(fileURLToPath(new URL('config', packageRoot)));
  const alone = decidedAlone(chip, hours, { settings, noiseSeed: NOISE });
  const lab = await openLaboratory({ SIMULATOR_NOISE_SEED: NOISE });
  try {
    await lab.startWorker();
    const began = performance.now();
    const byRuns = await decidedByRuns(chip, hours, lab);
    const seconds = (performance.now() - began) / 1000;
    const missing = alone.filter((line) => !byRuns.includes(line));
    const added = byRuns.filter((line) => !alone.includes(line));
    for (const line of missing) console.log(`only without engines: ${line}`);
    for (const line of added) console.log(`only by runs:         ${line}`);
    const isSame = alone.length === byRuns.length && alone.every((line, place) => line === byRuns[place]);
    const size = `${count} hours on ${qubits} qubits`;
    return [
      { name: `decisions of ${size}, without engines`, value: String(alone.length) },
      { name: `decisions of ${size}, by runs`, value: String(byRuns.length) },
      { name: 'the same in the same order', value: isSame ? 'yes' : 'no', budget: 'yes' },
      { name: 'duration of the runs', value: `${seconds.toFixed(0)} s` },
    ];
  } finally {
    await lab.close();
  }
}
