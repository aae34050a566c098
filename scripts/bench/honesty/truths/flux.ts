import {
  byFrequency,
  czDetuning,
  czSplitting,
  type FluxPulse,
  keptAmplitude,
  tunedPhase,
} from '../../../../shared/science/device/flux-gate.ts';
import type { TruePair } from '../../../../shared/science/device/pair-device.ts';
import { czError, loadedFluxPulse } from '../../../../shared/tasks/common/simulation/flux-experiment.ts';
import type { PairTruths } from '../model.ts';
import { signChange } from './pulses.ts';

/** Maximum amplitude in the search for a resonance. */
const LARGEST_AMPLITUDE = 1;
/** Flux, in flux quanta, at which the qubit frequency is lowest. */
const LOWEST_AT = 0.5;

/** The pulse after which |11> returns with the opposite sign: at resonance, for one turn. */
export function perfectFluxPulse(pair: TruePair): FluxPulse {
  const { gain, rampNs } = pair.fluxLine;
  const largest = Math.min(LARGEST_AMPLITUDE, LOWEST_AT / gain);
  return {
    amplitude: signChange(0, largest, (amplitude) => czDetuning(pair, amplitude)),
    lengthNs: rampNs + 1 / czSplitting(pair),
  };
}

/** The phases by a pulse: the conditional phase, and those of the single qubits. */
export function fluxPhases(pair: TruePair, pulse: FluxPulse) {
  const { re, im } = keptAmplitude(pair, pulse);
  const { higher } = byFrequency(pair);
  const alone = (side: 'control' | 'target') => (pair[side] === higher ? tunedPhase(pair, pulse) : 0);
  return {
    cz_conditional_phase: Math.atan2(im, re),
    cz_control_phase: alone('control'),
    cz_target_phase: alone('target'),
  };
}

export const flux = {
  chevron: ({ pair }) => {
    const { amplitude, lengthNs } = perfectFluxPulse(pair);
    const splitting = 1000 * czSplitting(pair);
    return { cz_flux_amplitude: amplitude, cz_gate_time: lengthNs, cz_splitting: splitting };
  },
  phase: (experiment) => fluxPhases(experiment.pair, loadedFluxPulse(experiment)),
  benchmarking: (experiment) => {
    const error = czError(experiment);
    return { cz_gate_fidelity: 1 - error, cz_depolarizing_rate: (4 / 3) * error };
  },
} satisfies Record<string, PairTruths>;
