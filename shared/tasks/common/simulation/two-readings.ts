import type { Dataset } from '../../../science/datasets/model.ts';
import type { ReadoutSettings } from '../../../science/device/readout.ts';
import { shotsDataset } from './single-shots.ts';

/** Maximum number of shots per state: two readings with both quadratures are four values per shot. */
const MAX_SHOTS = 25_000;

/**
 * Both prepared states, with each shot read twice.
 * @param prepared excited populations of both states
 * @param longName of the axis that distinguishes the readings
 * @param readShot returns the first and the second reading of a shot with the given population
 */
export function twoReadings(
  { shots }: ReadoutSettings,
  { prepared, longName }: { prepared: readonly number[]; longName: string },
  readShot: (population: number) => readonly { re: number; im: number }[],
): Dataset {
  if (!Number.isSafeInteger(shots) || shots > MAX_SHOTS) {
    throw new Error(`The simulator keeps at most ${MAX_SHOTS} pairs of shots, not ${shots}.`);
  }
  const readings = [0, 1].map(() => prepared.map(() => ({ re: [] as number[], im: [] as number[] })));
  for (const [state, population] of prepared.entries()) {
    for (let shot = 0; shot < shots; shot++) {
      for (const [reading, { re, im }] of readShot(population).entries()) {
        readings[reading]?.[state]?.re.push(re);
        readings[reading]?.[state]?.im.push(im);
      }
    }
  }
  return shotsDataset(readings.flat(), shots, {
    name: 'reading',
    coordinate: { dims: ['reading'], values: [1, 2], unit: '', long_name: longName },
  });
}
