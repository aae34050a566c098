import { SAMPLE_NS } from '../../science/conventions/readout.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { REFERENCE_SHOTS } from '../../science/device/reflection.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

const NOISE_SAMPLES = 256;

/** The converter without any drive. */
export const noiseSimulation: QubitSimulation = {
  measure({ qubit, noise }): Dataset {
    const deviation = qubit.lineNoise * Math.sqrt(REFERENCE_SHOTS);
    const points = Array.from({ length: NOISE_SAMPLES }, (_, index) => index * SAMPLE_NS);
    const quadrature = () => points.map(() => deviation * noise.normal());
    const signals = { re: quadrature(), im: quadrature() };
    return sweepDataset(
      { name: 'time', longName: 'Time since the start of the capture', unit: 'ns', points },
      signals,
    );
  },
};
