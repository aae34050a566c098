import type { Dataset } from '../../../shared/science/datasets/model.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import { separation } from '../../../shared/science/device/readout.ts';
import {
  compressGain,
  overflow,
  rememberPoints,
  reverseSweep,
  rollSweep,
} from '../../../shared/science/device/spoilt-data.ts';
import { logBetween } from './draws.ts';
import type { Listed, Trial } from './model.ts';
import { device } from './truths/device.ts';
import { pair } from './truths/pair.ts';
import { benchmarking, fineAmplitude, plainRotation, signChange } from './truths/pulses.ts';
import { readoutOf, widenedClassification } from './truths/single-shots.ts';

/** The excited reference state is incomplete, as after a pulse that rotates too little. */
function shortenExcited(dataset: Dataset, random: Random): void {
  const part = random.between(0.8, 0.95);
  for (const name of ['reference_re', 'reference_im']) {
    const variable = dataset.variables[name];
    if (variable === undefined) continue;
    const half = variable.values.length / 2;
    const ground =
      variable.values.slice(0, half).reduce<number>((sum, value) => sum + (value ?? 0), 0) / half;
    variable.values = variable.values.map((value, index) =>
      value === null || index < half ? value : ground + part * (value - ground),
    );
  }
}

/** Factor on the scatter of shots in the excited state. */
const WIDENING = 2;

/**
 * Shots of the excited state scatter more about its position in the plane, which decays during the readout do not
 * shift.
 */
function widenExcited(dataset: Dataset, { qubit, stored }: Pick<Trial, 'qubit' | 'stored'>): Dataset {
  const distance = separation(qubit, readoutOf(stored));
  const centres = {
    iq_re: qubit.groundRe + distance * Math.cos(qubit.direction),
    iq_im: qubit.groundIm + distance * Math.sin(qubit.direction),
  };
  for (const [name, centre] of Object.entries(centres)) {
    const variable = dataset.variables[name];
    if (variable === undefined) continue;
    const half = variable.values.length / 2;
    variable.values = variable.values.map((value, index) =>
      value === null || index < half ? value : centre + WIDENING * (value - centre),
    );
  }
  return dataset;
}

const distortions = [
  { text: 'the sweep is rolled', spoil: rollSweep },
  { text: 'the points are stored backwards', spoil: reverseSweep },
  { text: 'each point keeps a tenth of the one before', spoil: rememberPoints },
  { text: 'the amplifier compresses', spoil: compressGain },
  { text: 'the digitiser overflows', spoil: overflow },
];
const distorted = [
  { task: 'CheckT1', truths: device.t1 },
  { task: 'CheckT2Echo', truths: device.t2Echo },
  { task: 'CheckRamsey', truths: device.ramsey },
  { task: 'CheckRabi', truths: device.rabi },
  { task: 'CheckEFSpectroscopy', truths: device.secondTransition },
  { task: 'CheckFineAmplitude', truths: fineAmplitude },
  { task: 'CheckHPIPulse', truths: plainRotation('hpi') },
];

/** Steps of a Ramsey sweep of 10 us. Some of them are simple fractions or multiples of the period of a 1 MHz fringe. */
const STEPS = [200, 500, 700, 1000, 1300, 2000, 3000];

const warm = (qubit: TrueQubit, random: Random): TrueQubit => ({
  ...qubit,
  thermalPopulation: random.between(0.08, 0.15),
  noise: qubit.distance / random.between(6, 10),
});

/** Time after which 1/e of an excitation remains in the presence of quasiparticles, us. */
function timeToOneOverE({ t1, quasiparticles }: TrueQubit): number {
  const { mean, t1: each } = quasiparticles ?? { mean: 0, t1 };
  return signChange(0, t1, (time) => mean * (1 - Math.exp(-time / each)) + time / t1 - 1);
}

/** Imperfect devices and instruments, as labs have them. */
export const imperfect: readonly Listed[] = [
  ...STEPS.map((step) => ({
    name: `CheckRamsey, a step of ${step} ns`,
    task: 'CheckRamsey',
    truths: device.ramsey,
    run: { time_range: { value: [0, 10_001, step], value_type: 'np.arange' } },
  })),
  {
    of: 'pair',
    name: 'CheckStaticZZ, a step of 1000 ns',
    task: 'CheckStaticZZ',
    truths: pair.zz,
    run: { time_range: { value: [0, 20_001, 1000], value_type: 'np.arange' } },
  },
  {
    name: 'CheckRabi, a step of 40 ns',
    task: 'CheckRabi',
    truths: device.rabi,
    run: {
      time_range: { value: [0, 801, 40], value_type: 'range' },
      fine_time_range: { value: [0, 1, 1], value_type: 'np.arange' },
    },
    changeStored: (stored, { random }) => ({
      ...stored,
      control_amplitude: Math.min(1, (stored.control_amplitude ?? 0) * random.between(0.5, 3)),
    }),
  },
  {
    name: 'CheckDispersiveShift, the excited state 80 to 97 % pure',
    task: 'CheckDispersiveShift',
    truths: device.shift,
    device: (qubit, random) => ({ ...qubit, thermalPopulation: random.between(0.005, 0.06) }),
    changeStored: (stored, { random }) => ({
      ...stored,
      control_amplitude: (stored.control_amplitude ?? 0) * (1 + random.between(-0.28, 0.28)),
    }),
  },
  {
    name: 'RandomizedBenchmarking, the excited reference is short',
    task: 'RandomizedBenchmarking',
    truths: benchmarking,
    spoil: shortenExcited,
  },
  {
    name: 'ReadoutClassification, the excited state scatters twice as far',
    task: 'ReadoutClassification',
    truths: widenedClassification(WIDENING),
    measure: (once, trial) => widenExcited(once(), trial),
  },
  ...distorted.flatMap(({ task, truths }) =>
    distortions.map(({ text, spoil }) => ({ name: `${task}, ${text}`, task, truths, spoil })),
  ),
  {
    name: 'CheckT1Average, the amplifier compresses',
    task: 'CheckT1Average',
    truths: device.t1Average,
    spoil: compressGain,
  },
  {
    name: 'CheckT2EchoAverage, the amplifier compresses',
    task: 'CheckT2EchoAverage',
    truths: device.t2EchoAverage,
    spoil: compressGain,
  },
  {
    of: 'pair',
    name: 'CheckCrossResonance, the sweep is rolled',
    task: 'CheckCrossResonance',
    truths: pair.crossResonance,
    spoil: rollSweep,
  },
  {
    of: 'pair',
    name: 'CheckCrossResonance, the digitiser overflows',
    task: 'CheckCrossResonance',
    truths: pair.crossResonance,
    spoil: overflow,
  },
  ...(
    [
      ['CheckT1', device.t1],
      ['CheckT2Echo', device.t2Echo],
      ['CheckRamsey', device.ramsey],
      ['CheckRabi', device.rabi],
      ['CheckHPIPulse', plainRotation('hpi')],
      ['CheckFineAmplitude', fineAmplitude],
    ] as const
  ).map(([task, truths]) => ({ name: `${task}, a warm qubit`, task, truths, device: warm })),
  {
    name: 'CheckT2Echo, exponent of 1.5 to 3',
    task: 'CheckT2Echo',
    truths: device.t2Echo,
    device: (qubit, random) => ({
      ...qubit,
      t1: Math.max(qubit.t1, 2 * qubit.t2Echo),
      echoExponent: random.between(1.5, 3),
    }),
  },
  {
    name: 'CheckT1, quasiparticles',
    task: 'CheckT1',
    truths: ({ qubit }) => ({ t1: timeToOneOverE(qubit), t1_residual: qubit.t1 }),
    device: (qubit, random) => ({
      ...qubit,
      quasiparticles: { mean: random.between(0.5, 2), t1: qubit.t1 * logBetween(random, 0.05, 0.3) },
    }),
  },
];
