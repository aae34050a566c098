import { TARGET_RABI_FREQUENCY_GHZ } from '../../../shared/science/conventions/pulse.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { dragAmplitude, idealBeta } from '../../../shared/science/device/drag-pulses.ts';
import type { Random } from '../../../shared/science/device/random.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import type { TaskDefinition } from '../../../shared/tasks/model.ts';
import type { Inputs, StoredValues } from './model.ts';

/** Maximum error of a stored frequency, GHz. */
const FREQUENCY_REACH = 0.2e-3;
/** The same after a Ramsey measurement; only the drift since then remains. */
const FINE_FREQUENCY_REACH = 0.03e-3;
/** Bounds of a uniformly distributed error, divided by its standard deviation, which is the stored error. */
const DEVIATIONS_PER_REACH = Math.sqrt(3);

/**
 * Stored values of one qubit from earlier tasks: the truth with small errors.
 * @param fine draws the errors of fine calibrations, so that the errors of all others stay the same for a seed
 * @param map draws the errors of a map of the qubit, for the same reason
 */
export function storedOf(qubit: TrueQubit, random: Random, fine: Random, map: Random): StoredValues {
  const near = (value: number, deviation: number, from: Random) =>
    value * (1 + deviation * Math.min(2, Math.max(-2, from.normal())));
  const about = (value: number, deviation: number) => near(value, deviation, random);
  const tuned = (value: number, deviation: number) => near(value, deviation, fine);
  const control = TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency;
  const hpi = 0.25 / (qubit.maximumRabiFrequency * (32 - qubit.rampNs));
  return {
    qubit_frequency: qubit.f01 + random.between(-FREQUENCY_REACH, FREQUENCY_REACH),
    coarse_qubit_frequency: qubit.f01 + random.between(-1e-3, 1e-3),
    control_amplitude: about(control, 0.03),
    coarse_control_amplitude: about(control, 0.2),
    readout_frequency: qubit.readoutFrequency + random.between(-0.06, 0.06) * qubit.kappa,
    readout_amplitude: about(qubit.readoutAmplitude, 0.03),
    readout_length: qubit.readoutLengthNs,
    hpi_amplitude: about(hpi, 0.005),
    hpi_length: 32,
    pi_amplitude: about(2 * hpi, 0.005),
    pi_length: 32,
    drag_hpi_amplitude: tuned(dragAmplitude(qubit, Math.PI / 2, 16), 4e-4),
    drag_hpi_length: 16,
    drag_hpi_beta: idealBeta(qubit),
    drag_pi_amplitude: tuned(dragAmplitude(qubit, Math.PI, 24), 4e-4),
    drag_pi_length: 24,
    drag_pi_beta: idealBeta(qubit),
    // The result of a map of the qubit.
    anharmonicity: near(qubit.anharmonicity, 0.005, map),
    ef_frequency: qubit.f01 + qubit.anharmonicity + fine.between(-0.2e-3, 0.2e-3),
    ef_control_amplitude: tuned(control / Math.SQRT2, 0.005),
    thermal_population: tuned(qubit.thermalPopulation, 0.03),
  };
}

/** The values after Ramsey fringes. */
export function withFineFrequency(stored: StoredValues, qubit: TrueQubit, random: Random): StoredValues {
  return {
    ...stored,
    qubit_frequency: qubit.f01 + random.between(-FINE_FREQUENCY_REACH, FINE_FREQUENCY_REACH),
  };
}

/** Standard error of a map of the qubit, GHz. */
const ANHARMONICITY_ERROR = 1e-3;

/** The standard error of a stored value, for values whose error is used by tasks. */
function errorOf(task: TaskDefinition, name: string): number | null {
  if (name === 'anharmonicity') return ANHARMONICITY_ERROR;
  if (!name.endsWith('qubit_frequency')) return null;
  return (isFine(task) ? FINE_FREQUENCY_REACH : FREQUENCY_REACH) / DEVIATIONS_PER_REACH;
}

/** Whether a task follows precise measurements of the frequency, as all tasks with DRAG pulses do. */
export function isFine({ inputs }: Pick<TaskDefinition, 'inputs'>): boolean {
  return Object.keys(inputs).some((name) => name.includes('drag_'));
}

export function inputsOf(task: TaskDefinition, stored: StoredValues): Inputs {
  return Object.fromEntries(
    Object.entries(task.inputs).flatMap(([name, { unit, valueType, fallback }]) => {
      const value = stored[name] ?? fallback;
      return value === undefined
        ? []
        : [[name, { value, unit, value_type: valueType, error: errorOf(task, name) }]];
    }),
  );
}

/** A task of the catalog. */
export function taskOf(name: string): TaskDefinition {
  const task = findTask(name);
  if (task === undefined) throw new Error(`There is no task ${name}.`);
  return task;
}
