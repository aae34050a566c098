import { describeContinuousWave } from '../continuous-wave.ts';

describeContinuousWave('CheckResonatorFrequencies', {
  truths: { coarse_resonator_frequency: (qubit) => qubit.resonatorGround },
});
