import { lineSweepSimulation } from '../common/simulation/spectroscopy.ts';

/** The phase of a tone beside the resonators runs with its frequency as the line is long. */
export const electricalDelaySimulation = lineSweepSimulation;
