import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { withT1 } from '../../../shared/science/device/device-drift.ts';
import {
  burst,
  driftOffset,
  dropOut,
  exchangePoints,
  flickerGain,
  freeze,
  freezeCounts,
  humOffset,
  jumpOffset,
  keepOneQuadrature,
  loseGain,
  losePoints,
  roundCoarsely,
  type Spoil,
  saturate,
  scaleFromStates,
  slipPoint,
  swapQuadratures,
  throwPoint,
  turnFromStates,
  turnPhase,
  warmUp,
  waveOffset,
} from '../../../shared/science/device/spoilt-data.ts';
import { type Course, changing, drifting, stepping } from './changing.ts';
import { logBetween } from './draws.ts';
import { beating, slowDephasing, twoValuedT1 } from './mixtures.ts';
import type { Listed, MeasureOnce } from './model.ts';
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
  signChange,
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
  { text: 'two points exchanged', spoil: exchangePoints },
  { text: 'points slip by one', spoil: slipPoint },
  { text: 'phase turns', spoil: turnPhase },
  { text: 'phase is not that of the prepared states', spoil: turnFromStates },
  { text: 'gain is not that of the prepared states', spoil: scaleFromStates },
  { text: 'points drop to zero', spoil: dropOut },
  { text: 'points are missing', spoil: losePoints },
  { text: 'mains hum', spoil: humOffset },
  { text: 'coarse digitiser', spoil: roundCoarsely },
  { text: 'gain flickers', spoil: flickerGain },
  { text: 'one quadrature is recorded', spoil: keepOneQuadrature },
];

/** Measurements that average a tenth of the requested shots. */
const fewerShots = spoilable.map(({ task, truths }) => ({
  name: `${task}, a tenth of the shots`,
  task,
  truths,
  measure: (once: MeasureOnce) => once({ shotsPart: 0.1 }),
}));

/** Changes of the device in the middle of a sweep or along it, with the tasks that they affect most. */
const changes: readonly { text: string; course: Course; tasks: readonly string[] }[] = [
  {
    text: 'T1 falls to a third',
    course: stepping((qubit) => withT1(qubit, qubit.t1 / 3)),
    tasks: ['CheckT1', 'CheckT2Echo', 'CheckRamsey', 'RandomizedBenchmarking'],
  },
  {
    text: 'frequency steps by 0.2 MHz',
    course: stepping((qubit) => ({ ...qubit, f01: qubit.f01 + 0.2e-3 })),
    tasks: ['CheckRamsey', 'CheckFineFrequency', 'CheckFineChevron', 'CheckT2Echo', 'CheckAllXY'],
  },
  {
    text: 'drive grows by 3 %',
    course: drifting('maximumRabiFrequency', 0.03),
    tasks: [
      'CheckRabi',
      'CreateHPIPulse',
      'CheckHPIPulse',
      'CreateDRAGHPIPulse',
      'CheckFineAmplitude',
      'CheckAllXY',
      'CheckT1',
    ],
  },
];
const changingDevices = changes.flatMap(({ text, course, tasks }) =>
  spoilable
    .filter(({ task }) => tasks.includes(task))
    .map(({ task, truths }) => ({ name: `${task}, ${text}`, task, ...changing(course, truths) })),
);

/** One fault after the other. */
function both(first: Spoil, second: Spoil): Spoil {
  return (dataset, random) => {
    first(dataset, random);
    second(dataset, random);
  };
}

/** Data that are spoilt by the instrument or the device during the measurement. */
export const spoilt: readonly Listed[] = [
  ...fewerShots,
  ...changingDevices,
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
    // The time at which both decays together have fallen to 1/e.
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
    // The time at which 1/e of both parts together remains.
    truths: ({ qubit: { t1 } }) => ({
      t1: signChange(0, t1, (time) => 1 / Math.E - (Math.exp(-time / t1) + Math.exp(-time / (0.2 * t1))) / 2),
    }),
    measure: twoValuedT1(0.2),
  },
];

/** Standard deviation of slow noise that alone would make fringes decay about as fast as the fast noise does, GHz. */
function slowDeviation({ t2Star }: TrueQubit): number {
  return Math.SQRT2 / (2 * Math.PI * t2Star * 1000);
}
