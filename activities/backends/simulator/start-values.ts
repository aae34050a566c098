import {
  PLAIN_PULSE_LENGTH_NS,
  TARGET_RABI_FREQUENCY_GHZ,
} from '../../../shared/science/conventions/pulse.ts';
import { MHZ_PER_GHZ } from '../../../shared/science/conventions/units.ts';
import { trueQubit } from '../../../shared/science/device/device.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import type { ResolvedParameter } from '../../../shared/tasks/model.ts';

/** A calibration start value, as stored with qubits. */
export interface StartValue extends ResolvedParameter {
  value: number;
  description: string;
}

/**
 * Start values as left by a bring-up: the true values with a small error that depends only on the seed and the qubit.
 * Without them the first CheckRabi of a blank chip fails because of missing inputs.
 */
export function startValues(seed: string, qid: string, at: Date): Record<string, StartValue> {
  const qubit = trueQubit(seed, qid, at);
  const random = randomFrom(seed, qid, 'start values');
  const about = (value: number, deviation: number) =>
    value * (1 + deviation * Math.min(2, Math.max(-2, random.normal())));
  const entry = (value: number, unit: string, description: string): StartValue => ({
    value: Number(value.toPrecision(7)),
    unit,
    value_type: 'float',
    description,
  });
  const hpiAmplitude = 0.25 / (qubit.maximumRabiFrequency * (PLAIN_PULSE_LENGTH_NS - qubit.rampNs));
  return {
    qubit_frequency: entry(qubit.f01 + random.between(-0.2e-3, 0.2e-3), 'GHz', 'Qubit frequency'),
    control_amplitude: entry(
      about(TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency, 0.03),
      'a.u.',
      `Control amplitude for a Rabi frequency of ${MHZ_PER_GHZ * TARGET_RABI_FREQUENCY_GHZ} MHz`,
    ),
    readout_frequency: entry(
      qubit.readoutFrequency + random.between(-0.3e-3, 0.3e-3),
      'GHz',
      'Readout frequency',
    ),
    readout_amplitude: entry(about(qubit.readoutAmplitude, 0.03), 'a.u.', 'Readout amplitude'),
    readout_length: entry(qubit.readoutLengthNs, 'ns', 'Readout length'),
    hpi_amplitude: entry(about(hpiAmplitude, 0.01), 'a.u.', 'Amplitude of the pi/2 pulse'),
    hpi_length: entry(PLAIN_PULSE_LENGTH_NS, 'ns', 'Length of the pi/2 pulse'),
  };
}
