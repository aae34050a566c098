import { TARGET_RABI_FREQUENCY_GHZ } from '../../../../shared/science/conventions/pulse.ts';
import type { TrueQubit } from '../../../../shared/science/device/device.ts';
import { bestReadoutOffset } from '../../../../shared/science/device/readout.ts';
import { REFERENCE_SHOTS, reflect } from '../../../../shared/science/device/reflection.ts';
import { expectedT1 } from '../../../../shared/tasks/t1/simulation.ts';
import type { Truths } from '../model.ts';

/** Photons at full power, in dB relative to one photon. */
const FULL_POWER_DB = 35;

/** True values that are properties of the device, or follow directly from them. */
export const device = {
  t1: ({ qubit }) => ({ t1: qubit.t1 }),
  t2Echo: ({ qubit }) => ({ t2_echo: qubit.t2Echo }),
  // The true value of an average is the value around which its runs scatter.
  t1Average: ({ qubit }) => ({ t1_average: expectedT1(qubit) }),
  t2EchoAverage: ({ qubit }) => ({ t2_echo_average: Math.min(qubit.t2Echo, 2 * qubit.t1) }),
  ramsey: ({ qubit, stored, run }) => {
    const drive = (stored.qubit_frequency ?? Number.NaN) + Number(run.detuning?.value);
    return {
      ramsey_frequency: 1000 * (drive - qubit.f01),
      qubit_frequency: qubit.f01,
      t2_star: qubit.t2Star,
    };
  },
  frequency: ({ qubit }) => ({ qubit_frequency: qubit.f01 }),
  chevron: ({ qubit }) => ({
    qubit_frequency: qubit.f01,
    control_amplitude: TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency,
  }),
  fineFrequency: ({ qubit, stored }) => ({
    qubit_frequency: qubit.f01,
    frequency_correction: 1000 * (qubit.f01 - (stored.qubit_frequency ?? 0)),
  }),
  rabi: ({ qubit }) => ({
    maximum_rabi_frequency: 1000 * qubit.maximumRabiFrequency,
    control_amplitude: TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency,
  }),
  rabiFrequency: ({ qubit, stored }) => {
    const driven = qubit.maximumRabiFrequency * (stored.control_amplitude ?? Number.NaN);
    const beside = (stored.qubit_frequency ?? Number.NaN) - qubit.f01;
    return { rabi_frequency: 1000 * Math.hypot(driven, beside) };
  },
  reflection: ({ qubit }) => ({
    resonator_frequency: qubit.resonatorGround,
    kappa_external: 1000 * qubit.kappaExternal,
    kappa_internal: 1000 * qubit.kappaInternal,
  }),
  resonator: ({ qubit }) => ({ readout_frequency: qubit.resonatorGround }),
  coarseResonator: ({ qubit }) => ({ coarse_resonator_frequency: qubit.resonatorGround }),
  punchOut: ({ qubit }) => {
    const distance = qubit.resonatorBare - qubit.f01;
    return {
      bare_resonator_frequency: qubit.resonatorBare,
      resonator_pull: (1000 * qubit.coupling ** 2) / distance,
      punch_out_power: 10 * Math.log10(distance ** 2 / (4 * qubit.coupling ** 2)) - FULL_POWER_DB,
    };
  },
  readoutAmplitude: ({ qubit, run }) => {
    const { re, im } = reflect(qubit, 0);
    const threshold = Number(run.snr_threshold?.value);
    return {
      readout_amplitude: (threshold * qubit.lineNoise * Math.sqrt(2 * REFERENCE_SHOTS)) / Math.hypot(re, im),
    };
  },
  delay: ({ qubit }) => ({ electrical_delay: qubit.lineDelayNs }),
  shift: ({ qubit }) => ({
    dispersive_shift: 500 * (qubit.resonatorExcited - qubit.resonatorGround),
  }),
  spectroscopy: ({ qubit }) => ({ coarse_qubit_frequency: qubit.f01, anharmonicity: qubit.anharmonicity }),
  coarseFrequency: ({ qubit }) => ({ coarse_qubit_frequency: qubit.f01 }),
  controlAmplitude: ({ qubit }) => ({
    coarse_qubit_frequency: qubit.f01,
    coarse_control_amplitude: TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency,
  }),
  secondTransition: ({ qubit }) => ({
    ef_frequency: qubit.f01 + qubit.anharmonicity,
    anharmonicity: qubit.anharmonicity,
  }),
  efRabi: ({ qubit, stored }) => {
    // The detuned drive of the first transition contributes (Ω/2α)² of the state, and half of that of the rate.
    const mixed = (TARGET_RABI_FREQUENCY_GHZ / (2 * qubit.anharmonicity)) ** 2;
    const maximum = 1000 * Math.SQRT2 * qubit.maximumRabiFrequency * (1 - mixed / 2);
    const driven = maximum * (stored.control_amplitude ?? Number.NaN);
    const beside = 1000 * ((stored.ef_frequency ?? Number.NaN) - qubit.f01 - qubit.anharmonicity);
    return {
      ef_rabi_frequency: Math.hypot(driven, beside),
      ef_maximum_rabi_frequency: maximum,
      ef_control_amplitude: (1000 * TARGET_RABI_FREQUENCY_GHZ) / maximum,
    };
  },
  thermalPopulation: ({ qubit }) => ({
    thermal_population: qubit.thermalPopulation,
    effective_temperature: temperatureOf(qubit),
  }),
  nothing: () => ({}),
} satisfies Record<string, Truths>;

/** Planck's constant over Boltzmann's, mK per GHz. */
const MILLIKELVIN_PER_GHZ = 47.992_43;

/** Temperature that corresponds to the qubit's excited population, mK. */
function temperatureOf({ f01, thermalPopulation }: TrueQubit): number {
  return (MILLIKELVIN_PER_GHZ * f01) / Math.log(1 / thermalPopulation - 1);
}

/**
 * The frequency of the largest contrast of both states; the nearer of two such frequencies if the lines are separated.
 */
export const bestReadout: Truths = ({ qubit }, found) => {
  const middle = (qubit.resonatorGround + qubit.resonatorExcited) / 2;
  const beside = bestReadoutOffset(qubit);
  const value = (found.readout_frequency ?? found.optimal_readout_frequency)?.value ?? middle;
  const best = value < middle ? middle - beside : middle + beside;
  return { readout_frequency: best, optimal_readout_frequency: best };
};

/** True values without a jump of these quantities. */
function withoutJumps(quantities: readonly string[]): Truths {
  const values = quantities.flatMap((quantity) =>
    ['jumps', 'jump', 'jump_time'].map((what) => [`stability_${quantity}_${what}`, 0] as const),
  );
  return () => Object.fromEntries(values);
}

/** A device without drift, and one whose instrument drifts. */
export const still = withoutJumps(['t1', 'frequency', 'readout']);
export const stillQubit = withoutJumps(['t1', 'frequency']);
