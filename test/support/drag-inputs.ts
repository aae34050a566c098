import { createSimulator } from '../../activities/backends/simulator/simulator.ts';
import { dragAmplitude, idealBeta } from '../../shared/science/device/drag-pulses.ts';
import { at } from './measured.ts';

/** Inputs as a perfect calibration of the DRAG pulses, the frequency and the readout would have left them. */
export function perfectInputs(seed: string, qid = '0') {
  const qubit = createSimulator({ seed }).truth('chip', qid, at);
  return {
    qubit_frequency: qubit.f01,
    readout_frequency: qubit.readoutFrequency,
    readout_amplitude: qubit.readoutAmplitude,
    readout_length: qubit.readoutLengthNs,
    control_amplitude: 0.0125 / qubit.maximumRabiFrequency,
    drag_hpi_amplitude: dragAmplitude(qubit, Math.PI / 2, 16),
    drag_hpi_length: 16,
    drag_hpi_beta: idealBeta(qubit),
    drag_pi_amplitude: dragAmplitude(qubit, Math.PI, 24),
    drag_pi_length: 24,
    drag_pi_beta: idealBeta(qubit),
  };
}

/** The same, with the second transition as CheckEFSpectroscopy and CheckEFRabi would have left it. */
export function efInputs(seed: string, qid = '0') {
  const qubit = createSimulator({ seed }).truth('chip', qid, at);
  return {
    ...perfectInputs(seed, qid),
    ef_frequency: qubit.f01 + qubit.anharmonicity,
    ef_control_amplitude: 0.0125 / (Math.SQRT2 * qubit.maximumRabiFrequency),
  };
}
