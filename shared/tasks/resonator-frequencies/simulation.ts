import { lineSweepSimulation } from '../common/simulation/spectroscopy.ts';

/** One sweep crosses all resonators of the line. */
export const resonatorFrequenciesSimulation = lineSweepSimulation;
