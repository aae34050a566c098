import { describeContinuousWave } from '../continuous-wave.ts';

describeContinuousWave('CheckQubitFrequencies', {
  inputs: (qubit) => ({ readout_frequency: qubit.resonatorGround }),
  truths: { coarse_qubit_frequency: (qubit) => qubit.f01 },
});
