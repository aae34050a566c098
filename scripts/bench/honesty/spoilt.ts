import type { TrueQubit } from '../../../shared/science/device/device.ts';
import {
  burst,
  driftOffset,
  freeze,
  freezeCounts,
  jumpOffset,
  loseGain,
  type Spoil,
  saturate,
  swapQuadratures,
  throwPoint,
  warmUp,
  waveOffset,
} from '../../../shared/science/device/spoilt-data.ts';
import { logBetween } from './draws.ts';
import { beating, slowDephasing, twoValuedT1 } from './mixtures.ts';
import type { Listed } from './model.ts';
import { device, stillQubit } from './truths/device.ts';
import { flux } from './truths/flux.ts';
import { pair } from './truths/pair.ts';
import {
  allXy,
  benchmarking,
  dragCreation,
  fineAmplitude,
  leakage,
  plain,
  plainRotation,
  simultaneous,
} from './truths/pulses.ts';

const spoilable = [
  { task: 'CheckT1', truths: device.t1 },
  { task: 'CheckT2Echo', truths: device.t2Echo },
  { task: 'CheckRamsey', truths: device.ramsey },
  { task: 'CheckRabi', truths: device.rabi },
  { task: 'CreateHPIPulse', truths: plain.hpi },
  { task: 'CheckFineChevron', truths: device.frequency },
  { task: 'CheckHPIPulse', truths: plainRotation('hpi') },
  { task: 'CreateDRAGHPIPulse', truths: dragCreation('drag_hpi') },
  { task: 'CheckFineFrequency', truths: device.fineFrequency },
  { task: 'CheckFineAmplitude', truths: fineAmplitude },
  { task: 'CheckAllXY', truths: allXy },
  { task: 'CheckEFSpectroscopy', truths: device.secondTransition },
  { task: 'CheckEFRabi', truths: device.efRabi },
  { task: 'CheckThermalPopulation', truths: device.thermalPopulation },
  { task: 'CheckPunchOut', truths: device.punchOut },
  { task: 'CheckStability', truths: stillQubit },
  { task: 'RandomizedBenchmarking', truths: benchmarking },
  { task: 'LeakageRandomizedBenchmarking', truths: leakage },
  { task: 'SimultaneousRandomizedBenchmarking', truths: simultaneous },
];
const spoilablePairs = [
  { task: 'CheckStaticZZ', truths: pair.zz },
  { task: 'CheckCrossResonance', truths: pair.crossResonance },
  { task: 'CreateZX90', truths: pair.creation },
  { task: 'CheckZX90', truths: pair.nothing },
  { task: 'CheckCZChevron', truths: flux.chevron },
  { task: 'CheckCZPhase', truths: flux.phase },
];
const spoilings = [
  { text: 'frozen from the middle on', spoil: freeze },
  { text: 'offset jumps', spoil: jumpOffset },
  { text: 'offset drifts', spoil: driftOffset },
  { text: 'gain falls by a tenth', spoil: loseGain },
  { text: 'one wild point', spoil: throwPoint },
  { text: 'gain warms up', spoil: warmUp },
  { text: 'offset waves', spoil: waveOffset },
  { text: 'digitiser saturates', spoil: saturate },
  { text: 'burst of wild points', spoil: burst },
  { text: 'quadratures swapped', spoil: swapQuadratures },
  { text: 'offset drifts and gain falls', spoil: both(driftOffset, loseGain) },
];

/** One fault after the other. */
function both(first: Spoil, second: Spoil): Spoil {
  return (dataset, random) => {
    first(dataset, random);
    second(dataset, random);
  };
}

/** Data that the instrument or the device spoils while they are measured. */
export const spoilt: readonly Listed[] = [
  ...spoilable.flatMap(({ task, truths }) =>
    spoilings.map(({ text, spoil }) => ({ name: `${task}, ${text}`, task, truths, spoil })),
  ),
  ...spoilablePairs.flatMap(({ task, truths }) =>
    spoilings.map(({ text, spoil }) => ({
      of: 'pair' as const,
      name: `${task}, ${text}`,
      task,
      truths,
      spoil,
    })),
  ),
  ...(
    [
      ['CheckBellStateTomography', pair.bell],
      ['ZX90InterleavedRandomizedBenchmarking', pair.benchmarking],
      ['CZInterleavedRandomizedBenchmarking', flux.benchmarking],
    ] as const
  ).map(([task, truths]) => ({
    of: 'pair' as const,
    name: `${task}, frozen from the middle on`,
    task,
    truths,
    spoil: freezeCounts,
  })),
  ...spoilablePairs
    .filter(({ task }) => task !== 'CreateZX90' && task !== 'CheckZX90')
    .map(({ task, truths }) => ({
      of: 'pair' as const,
      name: `${task}, charge parity of the target beats`,
      task,
      truths,
      measure: beating((random) => logBetween(random, 0.05e-3, 0.5e-3)),
    })),
  {
    name: 'CheckRamsey, charge parity beats',
    task: 'CheckRamsey',
    truths: device.ramsey,
    measure: beating((random) => logBetween(random, 0.05e-3, 0.5e-3)),
  },
  {
    name: 'CheckRamsey, slow dephasing',
    task: 'CheckRamsey',
    // Where both decays together have come to 1/e.
    truths: ({ qubit }) => {
      const gaussian = (2 * Math.PI * slowDeviation(qubit) * 1000) ** 2 / 2;
      const rate = 1 / qubit.t2Star;
      const time = (Math.sqrt(rate ** 2 + 4 * gaussian) - rate) / (2 * gaussian);
      return { qubit_frequency: qubit.f01, t2_star: time };
    },
    measure: slowDephasing(({ qubit }) => slowDeviation(qubit)),
  },
  {
    name: 'CheckT1, two values',
    task: 'CheckT1',
    truths: device.t1,
    measure: twoValuedT1(0.2),
  },
];

/** Slow noise that alone would end the fringes about where the fast one does, GHz. */
function slowDeviation({ t2Star }: TrueQubit): number {
  return Math.SQRT2 / (2 * Math.PI * t2Star * 1000);
}
