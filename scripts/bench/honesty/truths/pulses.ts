import { PLAIN_PULSE_LENGTH_NS, PULSES_PER_TURN } from '../../../../shared/science/conventions/pulse.ts';
import { neighbourError } from '../../../../shared/science/device/crosstalk-errors.ts';
import type { TrueQubit } from '../../../../shared/science/device/device.ts';
import { type DragPulse, dragRotation, idealBeta } from '../../../../shared/science/device/drag-pulses.ts';
import { dragGateError } from '../../../../shared/science/device/gate-errors.ts';
import { rotateVector } from '../../../../shared/science/quantum/rotations.ts';
import {
  cliffordDecay,
  PULSES_PER_CLIFFORD,
} from '../../../../shared/tasks/common/simulation/benchmarking-sequences.ts';
import { played, populationAfterPulses } from '../../../../shared/tasks/common/simulation/drag-experiment.ts';
import {
  amplitudePopulation,
  betaPopulation,
} from '../../../../shared/tasks/create-drag-pulse/simulation.ts';
import { leakageRates } from '../../../../shared/tasks/leakage-benchmarking/simulation.ts';
import type { StoredValues, Truths } from '../model.ts';

type Drag = 'drag_hpi' | 'drag_pi';

/** A DRAG pulse with its stored values. */
function storedPulse(stored: StoredValues, name: Drag): DragPulse {
  const of = (what: string) => stored[what] ?? Number.NaN;
  return {
    amplitude: of(`${name}_amplitude`),
    lengthNs: of(`${name}_length`),
    beta: of(`${name}_beta`),
    frequency: of('qubit_frequency'),
  };
}

export const plain = {
  hpi: ({ qubit }) => ({
    hpi_amplitude: 0.25 / (qubit.maximumRabiFrequency * (PLAIN_PULSE_LENGTH_NS - qubit.rampNs)),
  }),
  pi: ({ qubit }) => ({
    pi_amplitude: 0.5 / (qubit.maximumRabiFrequency * (PLAIN_PULSE_LENGTH_NS - qubit.rampNs)),
  }),
} satisfies Record<string, Truths>;

/** The rotation error of the repeated pulse: signed for a pi/2 pulse, the absolute value for a pi pulse. */
export function plainRotation(pulse: 'hpi' | 'pi'): Truths {
  return ({ qubit, stored }) => {
    const effectiveNs = PLAIN_PULSE_LENGTH_NS - qubit.rampNs;
    const turned = qubit.maximumRabiFrequency * (stored[`${pulse}_amplitude`] ?? 0) * effectiveNs;
    const error = turned * PULSES_PER_TURN[pulse] - 1;
    return { [`${pulse}_rotation_error`]: pulse === 'hpi' ? error : Math.abs(error) };
  };
}

/** Relative over-rotation of a DRAG pulse. Its second quadrature makes it slightly larger than by the area alone. */
function turnedTooFar(qubit: TrueQubit, stored: StoredValues, pulse: 'hpi' | 'pi'): number {
  const { w, x, y, z } = dragRotation(qubit, storedPulse(stored, `drag_${pulse}`));
  return (Math.atan2(Math.hypot(x, y, z), w) / Math.PI) * PULSES_PER_TURN[pulse] - 1;
}

/** The same for a DRAG pulse. */
export function dragRotationError(pulse: 'hpi' | 'pi'): Truths {
  return ({ qubit, stored }) => {
    const error = turnedTooFar(qubit, stored, pulse);
    return { [`drag_${pulse}_rotation_error`]: pulse === 'hpi' ? error : Math.abs(error) };
  };
}

/** The zero of a function between two bounds, by bisection. */
export function signChange(from: number, to: number, f: (x: number) => number): number {
  const rises = f(from) < 0;
  let [low, high] = [from, to];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (f(middle) < 0 === rises) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * Amplitude and beta from noise-free signals of the last two sweeps of a pulse's creation.
 * @param sweptAtBeta beta of the amplitude's sweep
 */
export function createdDrag(qubit: TrueQubit, name: Drag, pulse: DragPulse, sweptAtBeta: number) {
  const step = 1e-4 * pulse.amplitude;
  const at = (amplitude: number) =>
    amplitudePopulation(qubit, { ...pulse, beta: sweptAtBeta, amplitude }, name);
  const amplitude = signChange(
    0.97 * pulse.amplitude,
    1.03 * pulse.amplitude,
    (x) => at(x + step) - at(x - step),
  );
  const flip = played(qubit, pulse);
  const excited = populationAfterPulses(qubit, name === 'drag_hpi' ? [flip, flip] : [flip]);
  const middle = (qubit.thermalPopulation + excited) / 2;
  const beta = signChange(
    pulse.beta - 1,
    pulse.beta + 1,
    (x) => betaPopulation(qubit, { ...pulse, beta: x }, name) - middle,
  );
  return { amplitude, beta };
}

export function dragCreation(name: Drag): Truths {
  return ({ qubit, stored, dataset }, found) => {
    const betas = dataset.coordinates.beta_2?.values ?? [];
    const pulse = { ...storedPulse(stored, name), beta: idealBeta(qubit) };
    const amplitude = found[`${name}_amplitude`]?.value ?? Number.NaN;
    const sweptAtBeta = ((betas[0] ?? 0) + (betas.at(-1) ?? 0)) / 2;
    const made = createdDrag(qubit, name, { ...pulse, amplitude }, sweptAtBeta);
    return {
      [`${name}_amplitude`]: made.amplitude,
      [`${name}_beta`]: made.beta,
      [`${name}_length`]: pulse.lengthNs,
    };
  };
}

/** The amplitude at which the device's pulse has the same final state as a perfect one. */
export function perfectAmplitude(qubit: TrueQubit, pulse: DragPulse, name: Drag): number {
  // z vanishes after a quarter turn, y after a half turn.
  return signChange(0.8 * pulse.amplitude, 1.2 * pulse.amplitude, (amplitude) => {
    const { y, z } = rotateVector(dragRotation(qubit, { ...pulse, amplitude }), { x: 0, y: 0, z: 1 });
    return name === 'drag_hpi' ? z : -y;
  });
}

export const fineAmplitude: Truths = ({ qubit, stored }) =>
  Object.fromEntries(
    (['drag_hpi', 'drag_pi'] as const).flatMap((name) => {
      const pulse = storedPulse(stored, name);
      const perfect = perfectAmplitude(qubit, pulse, name);
      return [
        [`${name}_amplitude`, perfect],
        [`${name}_amplitude_error`, pulse.amplitude / perfect - 1],
      ];
    }),
  );

export const allXy: Truths = ({ qubit, stored }) => {
  const [quarter, half] = [turnedTooFar(qubit, stored, 'hpi'), turnedTooFar(qubit, stored, 'pi')];
  return {
    allxy_amplitude_error: (quarter + half) / 2,
    allxy_detuning: 1000 * (qubit.f01 - (stored.qubit_frequency ?? Number.NaN)),
  };
};

function decayOf(qubit: TrueQubit, stored: StoredValues): number {
  return cliffordDecay(dragGateError(qubit, storedPulse(stored, 'drag_hpi'), Math.PI / 2));
}

/** Average fidelity of a one-qubit gate that keeps this fraction of the polarisation. */
const fidelityOf = (decay: number) => 1 - (1 - decay) / 2;

export const benchmarking: Truths = ({ qubit, stored }) => {
  const decay = decayOf(qubit, stored);
  return { average_gate_fidelity: fidelityOf(decay), depolarizing_rate: 1 - decay };
};

export function interleaved(gate: 'x90' | 'x180'): Truths {
  const [name, angle] =
    gate === 'x90' ? (['drag_hpi', Math.PI / 2] as const) : (['drag_pi', Math.PI] as const);
  return ({ qubit, stored }) => {
    const error = dragGateError(qubit, storedPulse(stored, name), angle);
    return { [`${gate}_gate_fidelity`]: 1 - error, [`${gate}_depolarizing_rate`]: 2 * error };
  };
}

export const simultaneous: Truths = ({ qubit, stored, neighbours }) => {
  const { lengthNs } = storedPulse(stored, 'drag_hpi');
  const errors = neighbours.map((pair) => neighbourError(pair, lengthNs));
  const added = PULSES_PER_CLIFFORD * errors.reduce((sum, each) => sum + each, 0);
  return {
    crosstalk_error: added,
    simultaneous_gate_fidelity: fidelityOf(decayOf(qubit, stored) * (1 - 2 * added)),
  };
};

export const leakage: Truths = ({ qubit, stored }) => {
  const rates = leakageRates(qubit, storedPulse(stored, 'drag_hpi'));
  return { leakage_rate: rates.leakage, seepage_rate: rates.seepage };
};
