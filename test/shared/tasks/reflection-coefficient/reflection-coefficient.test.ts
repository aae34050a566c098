import { describeContinuousWave } from '../continuous-wave.ts';

describeContinuousWave('CheckReflectionCoefficient', {
  truths: {
    resonator_frequency: (qubit) => qubit.resonatorGround,
    kappa_external: (qubit) => 1000 * qubit.kappaExternal,
    kappa_internal: (qubit) => 1000 * qubit.kappaInternal,
  },
});
