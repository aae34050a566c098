import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { dragAmplitude } from '../../../shared/science/device/drag-pulses.ts';
import { changedQubit } from '../../../shared/science/device/phenomena.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import { logBetween } from './draws.ts';
import { AT } from './measurement.ts';
import type { Listed, StoredValues } from './model.ts';
import { bestReadout, device, still } from './truths/device.ts';
import { flux } from './truths/flux.ts';
import { oscillation } from './truths/oscillation.ts';
import { pair } from './truths/pair.ts';
import { dragRotationError, fineAmplitude, leakage, plainRotation } from './truths/pulses.ts';
import { classification, qnd, reset } from './truths/single-shots.ts';

/** Time of a jump, in seconds: in the middle of a stability measurement, at any time between two rounds. */
function jumpsAt({ linePhase }: TrueQubit): number {
  return 3420 + 180 * (0.5 + linePhase / (2 * Math.PI));
}

/** A resonator of another width. */
function withWidth(qubit: TrueQubit, kappaExternal: number, kappaInternal: number): TrueQubit {
  return { ...qubit, kappaExternal, kappaInternal, kappa: kappaExternal + kappaInternal };
}

/** A qubit with another T1, and with echo and Ramsey times in the usual ratio to it. */
function withTimes(qubit: TrueQubit, t1: number, random: Random): TrueQubit {
  const t2Echo = Math.min(2 * t1, t1 * random.between(0.3, 2));
  return { ...qubit, t1, t2Echo, t2Star: t2Echo * random.between(0.3, 0.9) };
}

/** Devices and settings at the extremes of known ranges. */
export const extreme: readonly Listed[] = [
  {
    name: 'T1 of 1 us to 1 ms',
    task: 'CheckT1',
    truths: device.t1,
    device: (qubit, random) => withTimes(qubit, logBetween(random, 1, 1000), random),
  },
  {
    name: 'T2 echo of 0.3 us to 1 ms',
    task: 'CheckT2Echo',
    truths: device.t2Echo,
    device: (qubit, random) => {
      const t2Echo = logBetween(random, 0.3, 1000);
      const t1 = Math.max(1, t2Echo * random.between(0.5, 2));
      return { ...qubit, t1, t2Echo, t2Star: t2Echo * random.between(0.3, 0.9) };
    },
  },
  {
    name: 'T2* of 0.3 us to 300 us',
    task: 'CheckRamsey',
    truths: device.ramsey,
    device: (qubit, random) => {
      const t2Star = logBetween(random, 0.3, 300);
      const t2Echo = t2Star * random.between(1.1, 3);
      return { ...qubit, t1: Math.max(1, t2Echo * random.between(0.5, 2)), t2Echo, t2Star };
    },
  },
  {
    name: 'Ramsey with a drive off by up to 12 MHz',
    task: 'CheckRamsey',
    truths: device.ramsey,
    changeStored: (stored, { random }) => ({
      ...stored,
      qubit_frequency: (stored.qubit_frequency ?? 0) + random.between(-12e-3, 12e-3),
    }),
  },
  {
    name: 'Rabi driven up to 12 times too hard',
    task: 'CheckRabi',
    truths: (trial, found) => ({ ...device.rabi(trial), ...oscillation(trial, found) }),
    changeStored: (stored, { random }) => ({
      ...stored,
      control_amplitude: Math.min(1, (stored.control_amplitude ?? 0) * random.between(1, 12)),
    }),
  },
  {
    name: 'Rabi detuned by 5 to 30 MHz',
    task: 'CheckRabi',
    truths: device.rabi,
    changeStored: (stored, { random }) => ({
      ...stored,
      qubit_frequency:
        (stored.qubit_frequency ?? 0) + (random.uniform() < 0.5 ? -1 : 1) * random.between(5e-3, 30e-3),
    }),
  },
  ...(
    [
      ['CheckElectricalDelay', device.delay],
      ['CheckReflectionCoefficient', device.reflection],
      ['CheckResonatorFrequencies', device.coarseResonator],
      ['CheckResonatorSpectroscopy', device.resonator],
    ] as const
  ).map(([task, truths]) => ({
    name: `${task}, κ of 0.3 to 20 MHz`,
    task,
    truths,
    device: (qubit: TrueQubit, random: Random) => {
      const external = logBetween(random, 0.3e-3, 20e-3);
      return withWidth(qubit, external, external * random.between(0.02, 0.2));
    },
  })),
  {
    name: 'CheckReflectionCoefficient, critically coupled',
    task: 'CheckReflectionCoefficient',
    truths: device.reflection,
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
    truths: plainRotation(pulse),
    changeStored: (stored: Record<string, number>, { random }: { random: Random }) => ({
      ...stored,
      [`${pulse}_amplitude`]: (stored[`${pulse}_amplitude`] ?? 0) * (1 + random.between(-0.05, 0.05)),
    }),
  })),
  ...['CheckT1', 'CheckT2Echo', 'CheckRamsey', 'CheckRabi'].map((task) => ({
    name: `${task}, readout from 0.7 to 10 deviations`,
    task,
    truths:
      { CheckT1: device.t1, CheckT2Echo: device.t2Echo, CheckRamsey: device.ramsey, CheckRabi: device.rabi }[
        task
      ] ?? device.nothing,
    device: (qubit: TrueQubit, random: Random) => ({
      ...qubit,
      noise: qubit.distance / logBetween(random, 0.7, 10),
    }),
  })),
  ...(['hpi', 'pi'] as const).map((pulse) => ({
    name: `DRAG ${pulse} pulse wrong by up to 5 %`,
    task: pulse === 'hpi' ? 'CheckDRAGHPIPulse' : 'CheckDRAGPIPulse',
    truths: dragRotationError(pulse),
    changeStored: (stored: StoredValues, { random }: { random: Random }) => wrongDrag(stored, random, 0.05),
  })),
  {
    name: 'CheckFineAmplitude, pulses wrong by up to 5 %',
    task: 'CheckFineAmplitude',
    truths: fineAmplitude,
    changeStored: (stored, { random }) => wrongDrag(stored, random, 0.05),
  },
  {
    name: 'CheckFineFrequency, drive off by up to 0.2 MHz',
    task: 'CheckFineFrequency',
    truths: device.fineFrequency,
    changeStored: (stored, { random }) => ({
      ...stored,
      qubit_frequency: (stored.qubit_frequency ?? 0) + random.between(-0.2e-3, 0.2e-3),
    }),
  },
  {
    name: 'CheckThermalPopulation, up to 0.4 excited',
    task: 'CheckThermalPopulation',
    truths: device.thermalPopulation,
    device: (qubit, random) => ({ ...qubit, thermalPopulation: logBetween(random, 0.002, 0.4) }),
  },
  {
    name: 'LeakageRandomizedBenchmarking, pulses of 6 ns',
    task: 'LeakageRandomizedBenchmarking',
    truths: leakage,
    changeStored: (stored, { qubit }) => ({
      ...stored,
      drag_hpi_length: 6,
      drag_hpi_amplitude: dragAmplitude(qubit, Math.PI / 2, 6),
    }),
  },
  ...(
    [
      ['ReadoutClassification', classification],
      ['CheckReadoutQND', qnd],
      ['CheckActiveReset', reset],
    ] as const
  ).map(([task, truths]) => ({
    name: `${task}, readout from 1.5 to 10 deviations`,
    task,
    truths,
    device: (qubit: TrueQubit, random: Random) => ({
      ...qubit,
      noise: qubit.distance / logBetween(random, 1.5, 10),
    }),
  })),
  {
    name: 'CheckStability, T1 halves',
    task: 'CheckStability',
    truths: (trial) => ({
      ...still(trial, {}),
      stability_t1_jumps: 1,
      stability_t1_jump: -trial.qubit.t1 / 2,
      stability_t1_jump_time: jumpsAt(trial.qubit),
    }),
    later: ({ qubit }, seconds) => (seconds < jumpsAt(qubit) ? qubit : { ...qubit, t1: qubit.t1 / 2 }),
  },
  {
    name: 'CheckStability, the frequency jumps by 0.1 MHz',
    task: 'CheckStability',
    truths: (trial) => ({
      ...still(trial, {}),
      stability_frequency_jumps: 1,
      stability_frequency_jump: 0.1,
      stability_frequency_jump_time: jumpsAt(trial.qubit),
    }),
    later: ({ qubit }, seconds) => (seconds < jumpsAt(qubit) ? qubit : { ...qubit, f01: qubit.f01 + 1e-4 }),
  },
  ...(
    [
      ['CheckStaticZZ', pair.zz],
      ['CheckCrossResonance', pair.crossResonance],
      ['CreateZX90', pair.creation],
      ['CheckBellStateTomography', pair.bell],
      ['ZX90InterleavedRandomizedBenchmarking', pair.benchmarking],
      ['CheckCZChevron', flux.chevron],
      ['CheckCZPhase', flux.phase],
      ['CZInterleavedRandomizedBenchmarking', flux.benchmarking],
      ['CheckZX90', pair.nothing],
    ] as const
  ).map(([task, truths]) => ({
    of: 'pair' as const,
    name: `${task}, T1 of 5 to 300 us`,
    task,
    truths,
    device: (qubit: TrueQubit, _role: string, random: Random) =>
      withTimes(qubit, logBetween(random, 5, 300), random),
  })),
  ...(
    [
      ['CheckStaticZZ', pair.zz],
      ['CheckCrossResonance', pair.crossResonance],
      ['CheckCZChevron', flux.chevron],
      ['CheckCZPhase', flux.phase],
      ['CheckZX90', pair.nothing],
    ] as const
  ).map(([task, truths]) => ({
    of: 'pair' as const,
    name: `${task}, readout from 1.5 to 10 deviations`,
    task,
    truths,
    device: (qubit: TrueQubit, _role: string, random: Random) => ({
      ...qubit,
      noise: qubit.distance / logBetween(random, 1.5, 10),
    }),
  })),
  {
    of: 'pair',
    name: 'CheckCZPhase, flux pulses wrong by up to 0.3 %',
    task: 'CheckCZPhase',
    truths: flux.phase,
    changeStored: (stored, { random }) => ({
      ...stored,
      cz_flux_amplitude: (stored.cz_flux_amplitude ?? 0) * (1 + random.between(-3e-3, 3e-3)),
    }),
  },
  {
    of: 'pair',
    name: 'CheckZX90, qubits of a wide spread',
    task: 'CheckZX90',
    truths: pair.rotation,
    device: (qubit, role, random) =>
      changedQubit(qubit, [{ phenomenon: 'wide_spread', size: 1 }], {
        ...{ seed: String(random.uniform()), qid: role, at: AT, intervalNs: undefined, others: [] },
      }),
  },
  {
    name: 'CheckQubitSpectroscopy, up to six times the noise',
    task: 'CheckQubitSpectroscopy',
    truths: device.spectroscopy,
    device: (qubit, random) => ({ ...qubit, noise: qubit.noise * random.between(1, 6) }),
  },
];

/** DRAG pulses whose angle is wrong by up to a fraction. */
function wrongDrag(stored: StoredValues, random: Random, part: number): StoredValues {
  const wrong = (name: string) => (stored[name] ?? 0) * (1 + random.between(-part, part));
  return {
    ...stored,
    drag_hpi_amplitude: wrong('drag_hpi_amplitude'),
    drag_pi_amplitude: wrong('drag_pi_amplitude'),
  };
}
