import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { dragGateError } from '../../../shared/science/device/gate-errors.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import { bestReadoutOffset } from '../../../shared/science/device/readout.ts';
import {
  driftOffset,
  freeze,
  jumpOffset,
  loseGain,
  throwPoint,
} from '../../../shared/science/device/spoilt-data.ts';
import { cliffordDecay } from '../../../shared/tasks/common/simulation/benchmarking-sequences.ts';
import { beating, slowDephasing, twoValuedT1 } from './mixtures.ts';
import type { Kind, Truths } from './model.ts';

function logBetween(random: Random, minimum: number, maximum: number): number {
  return minimum * (maximum / minimum) ** random.uniform();
}

const truth = {
  t1: ({ qubit }) => ({ t1: qubit.t1 }),
  t2Echo: ({ qubit }) => ({ t2_echo: qubit.t2Echo }),
  ramsey: ({ qubit }) => ({ qubit_frequency: qubit.f01, t2_star: qubit.t2Star }),
  frequency: ({ qubit }) => ({ qubit_frequency: qubit.f01 }),
  rabi: ({ qubit }) => ({ maximum_rabi_frequency: 1000 * qubit.maximumRabiFrequency }),
  hpi: ({ qubit }) => ({ hpi_amplitude: 0.25 / (qubit.maximumRabiFrequency * (32 - qubit.rampNs)) }),
  pi: ({ qubit }) => ({ pi_amplitude: 0.5 / (qubit.maximumRabiFrequency * (32 - qubit.rampNs)) }),
  reflection: ({ qubit }) => ({
    resonator_frequency: qubit.resonatorGround,
    kappa_external: 1000 * qubit.kappaExternal,
    kappa_internal: 1000 * qubit.kappaInternal,
  }),
  resonator: ({ qubit }) => ({ readout_frequency: qubit.resonatorGround }),
  delay: ({ qubit }) => ({ electrical_delay: qubit.lineDelayNs }),
  shift: ({ qubit }) => ({
    dispersive_shift: 500 * (qubit.resonatorExcited - qubit.resonatorGround),
  }),
  spectroscopy: ({ qubit }) => ({ coarse_qubit_frequency: qubit.f01, anharmonicity: qubit.anharmonicity }),
  benchmarking: ({ qubit, believed }) => {
    const pulse = {
      amplitude: believed.drag_hpi_amplitude ?? 0,
      lengthNs: believed.drag_hpi_length ?? 0,
      beta: believed.drag_hpi_beta ?? 0,
      frequency: believed.qubit_frequency ?? 0,
    };
    const decay = cliffordDecay(dragGateError(qubit, pulse, Math.PI / 2));
    return { average_gate_fidelity: 1 - (1 - decay) / 2 };
  },
  nothing: () => ({}),
} satisfies Record<string, Truths>;

/** The rotation error of the repeated pulse, where the task has it as an output. */
function rotationTruth(pulse: 'hpi' | 'pi'): Truths {
  const part = pulse === 'hpi' ? 0.25 : 0.5;
  return ({ qubit, believed }) => {
    const turned = qubit.maximumRabiFrequency * (believed[`${pulse}_amplitude`] ?? 0) * (32 - qubit.rampNs);
    const error = turned / part - 1;
    return { [`${pulse}_rotation_error`]: pulse === 'hpi' ? error : Math.abs(error) };
  };
}

/** The frequency at which both states lie furthest apart; the nearer of two where the lines lie apart. */
const bestReadout: Truths = ({ qubit }, found) => {
  const middle = (qubit.resonatorGround + qubit.resonatorExcited) / 2;
  const beside = bestReadoutOffset(qubit);
  const value = (found.readout_frequency ?? found.optimal_readout_frequency)?.value ?? middle;
  const best = value < middle ? middle - beside : middle + beside;
  return { readout_frequency: best, optimal_readout_frequency: best };
};

/** A resonator of another width, and a qubit that moves it by as many widths as before or by the part given. */
function withWidth(qubit: TrueQubit, kappaExternal: number, kappaInternal: number): TrueQubit {
  return { ...qubit, kappaExternal, kappaInternal, kappa: kappaExternal + kappaInternal };
}

/** T1 of all lengths, with echo and Ramsey times as a healthy qubit has them. */
function withTimes(qubit: TrueQubit, t1: number, random: Random): TrueQubit {
  const t2Echo = Math.min(2 * t1, t1 * random.between(0.3, 2));
  return { ...qubit, t1, t2Echo, t2Star: t2Echo * random.between(0.3, 0.9) };
}

/** A kind whose group is that of the list it stands in. */
type Listed = Omit<Kind, 'group'>;

function inGroup(group: Kind['group'], listed: readonly Listed[]): Kind[] {
  return listed.map((kind) => ({ ...kind, group }));
}

const checked: readonly Omit<Listed, 'name'>[] = [
  { task: 'CheckT1', truths: truth.t1 },
  { task: 'CheckT2Echo', truths: truth.t2Echo },
  { task: 'CheckRamsey', truths: truth.ramsey },
  { task: 'CheckRabi', truths: truth.rabi },
  { task: 'CheckChevron', truths: truth.frequency },
  { task: 'CheckFineChevron', truths: truth.frequency },
  { task: 'CheckQubitFrequency', truths: truth.frequency },
  { task: 'CreateHPIPulse', truths: truth.hpi },
  { task: 'CreatePIPulse', truths: truth.pi },
  { task: 'CheckHPIPulse', truths: rotationTruth('hpi') },
  { task: 'CheckPIPulse', truths: rotationTruth('pi') },
  { task: 'CheckElectricalDelay', truths: truth.delay },
  { task: 'CheckResonatorSpectroscopy', truths: truth.resonator },
  { task: 'CheckReflectionCoefficient', truths: truth.reflection },
  { task: 'CheckQubitSpectroscopy', truths: truth.spectroscopy },
  {
    task: 'CheckDispersiveShift',
    truths: (trial, found) => ({ ...truth.shift(trial), ...bestReadout(trial, found) }),
  },
  { task: 'CheckOptimalReadoutFrequency', truths: bestReadout },
  { task: 'CheckReadoutFrequency', truths: bestReadout },
  { task: 'RandomizedBenchmarking', truths: truth.benchmarking },
];

const extreme: readonly Listed[] = [
  {
    name: 'T1 of 1 us to 1 ms',
    task: 'CheckT1',
    truths: truth.t1,
    device: (qubit, random) => withTimes(qubit, logBetween(random, 1, 1000), random),
  },
  {
    name: 'T2 echo of 0.3 us to 1 ms',
    task: 'CheckT2Echo',
    truths: truth.t2Echo,
    device: (qubit, random) => {
      const t2Echo = logBetween(random, 0.3, 1000);
      const t1 = Math.max(1, t2Echo * random.between(0.5, 2));
      return { ...qubit, t1, t2Echo, t2Star: t2Echo * random.between(0.3, 0.9) };
    },
  },
  {
    name: 'T2* of 0.3 us to 300 us',
    task: 'CheckRamsey',
    truths: truth.ramsey,
    device: (qubit, random) => {
      const t2Star = logBetween(random, 0.3, 300);
      const t2Echo = t2Star * random.between(1.1, 3);
      return { ...qubit, t1: Math.max(1, t2Echo * random.between(0.5, 2)), t2Echo, t2Star };
    },
  },
  {
    name: 'Ramsey with a drive off by up to 12 MHz',
    task: 'CheckRamsey',
    truths: truth.ramsey,
    believe: (believed, { random }) => ({
      ...believed,
      qubit_frequency: (believed.qubit_frequency ?? 0) + random.between(-12e-3, 12e-3),
    }),
  },
  {
    name: 'Rabi driven up to 12 times too hard',
    task: 'CheckRabi',
    truths: truth.rabi,
    believe: (believed, { random }) => ({
      ...believed,
      control_amplitude: Math.min(1, (believed.control_amplitude ?? 0) * random.between(1, 12)),
    }),
  },
  {
    name: 'Rabi detuned by 5 to 30 MHz',
    task: 'CheckRabi',
    truths: truth.rabi,
    believe: (believed, { random }) => ({
      ...believed,
      qubit_frequency:
        (believed.qubit_frequency ?? 0) + (random.uniform() < 0.5 ? -1 : 1) * random.between(5e-3, 30e-3),
    }),
  },
  ...['CheckReflectionCoefficient', 'CheckResonatorSpectroscopy'].map((task) => ({
    name: `${task}, κ of 0.3 to 20 MHz`,
    task,
    truths: task === 'CheckReflectionCoefficient' ? truth.reflection : truth.resonator,
    device: (qubit: TrueQubit, random: Random) => {
      const external = logBetween(random, 0.3e-3, 20e-3);
      return withWidth(qubit, external, external * random.between(0.02, 0.2));
    },
  })),
  {
    name: 'CheckReflectionCoefficient, critically coupled',
    task: 'CheckReflectionCoefficient',
    truths: truth.reflection,
    device: (qubit, random) =>
      withWidth(qubit, qubit.kappaExternal, qubit.kappaExternal * logBetween(random, 0.4, 2.5)),
  },
  ...['CheckOptimalReadoutFrequency', 'CheckDispersiveShift'].map((task) => ({
    name: `${task}, 2χ of 0.2 to 3 κ`,
    task,
    truths: bestReadout,
    device: (qubit: TrueQubit, random: Random) => {
      const shift = Math.abs(qubit.resonatorExcited - qubit.resonatorGround);
      const width = shift / logBetween(random, 0.2, 3);
      return withWidth(qubit, width / 1.06, width - width / 1.06);
    },
  })),
  ...(['hpi', 'pi'] as const).map((pulse) => ({
    name: `${pulse} pulse wrong by up to 5 %`,
    task: pulse === 'hpi' ? 'CheckHPIPulse' : 'CheckPIPulse',
    truths: rotationTruth(pulse),
    believe: (believed: Record<string, number>, { random }: { random: Random }) => ({
      ...believed,
      [`${pulse}_amplitude`]: (believed[`${pulse}_amplitude`] ?? 0) * (1 + random.between(-0.05, 0.05)),
    }),
  })),
  ...['CheckT1', 'CheckT2Echo', 'CheckRamsey', 'CheckRabi'].map((task) => ({
    name: `${task}, readout from 0.7 to 10 deviations`,
    task,
    truths:
      { CheckT1: truth.t1, CheckT2Echo: truth.t2Echo, CheckRamsey: truth.ramsey, CheckRabi: truth.rabi }[
        task
      ] ?? truth.nothing,
    device: (qubit: TrueQubit, random: Random) => ({
      ...qubit,
      noise: qubit.distance / logBetween(random, 0.7, 10),
    }),
  })),
];

const spoilable = [
  { task: 'CheckT1', truths: truth.t1 },
  { task: 'CheckT2Echo', truths: truth.t2Echo },
  { task: 'CheckRamsey', truths: truth.ramsey },
  { task: 'CheckRabi', truths: truth.rabi },
  { task: 'CreateHPIPulse', truths: truth.hpi },
  { task: 'CheckFineChevron', truths: truth.frequency },
  { task: 'CheckHPIPulse', truths: rotationTruth('hpi') },
];
const spoilings = [
  { text: 'frozen from the middle on', spoil: freeze },
  { text: 'offset jumps', spoil: jumpOffset },
  { text: 'offset drifts', spoil: driftOffset },
  { text: 'gain falls by a tenth', spoil: loseGain },
  { text: 'one wild point', spoil: throwPoint },
];

const spoilt: readonly Listed[] = [
  ...spoilable.flatMap(({ task, truths }) =>
    spoilings.map(({ text, spoil }) => ({ name: `${task}, ${text}`, task, truths, spoil })),
  ),
  {
    name: 'CheckRamsey, charge parity beats',
    task: 'CheckRamsey',
    truths: truth.ramsey,
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
    truths: truth.t1,
    measure: twoValuedT1(0.2),
  },
];

/** Slow noise that alone would end the fringes about where the fast one does, GHz. */
function slowDeviation({ t2Star }: TrueQubit): number {
  return Math.SQRT2 / (2 * Math.PI * t2Star * 1000);
}

/** All that the campaign measures. */
export const kinds: readonly Kind[] = [
  ...inGroup(
    'healthy',
    checked.map((kind) => ({ ...kind, name: kind.task })),
  ),
  ...inGroup('extreme', extreme),
  ...inGroup('spoilt', spoilt),
];
