import { byFrequency, type FluxPulse, keptAmplitude, tunedPhase } from '../../../science/device/flux-gate.ts';
import { pairCoherenceInfidelity } from '../../../science/quantum/gate-coherence.ts';
import { isWithinLimit } from '../../limited-values.ts';
import { loadedPulse, played, populationAfterPulses } from './drag-experiment.ts';
import type { Experiment, PairExperiment } from './model.ts';
import { requireNumber } from './parameters.ts';

/** Both qubits as separate experiments: the flux line tunes the qubit with the higher frequency. */
export function fluxSides({ pair, control, target }: PairExperiment): {
  lower: Experiment;
  higher: Experiment;
} {
  return byFrequency(pair).lower === pair.control
    ? { lower: control, higher: target }
    : { lower: target, higher: control };
}

/** Excited population after two pi/2 pulses. */
export function excitation(experiment: Experiment): number {
  const quarter = played(experiment.qubit, loadedPulse(experiment, 'drag_hpi'));
  return populationAfterPulses(experiment.qubit, [quarter, quarter]);
}

/** Checks an amplitude against the limit of the pair's flux line. @throws if it exceeds the limit */
export function allowedAmplitude({ inputs }: Pick<PairExperiment, 'inputs'>, amplitude: number): number {
  const limit = requireNumber(inputs, 'flux_pulse_limit');
  if (!isWithinLimit(amplitude, limit)) {
    throw new Error(`The flux line may be given ${limit} at most, not ${amplitude}.`);
  }
  return amplitude;
}

/** The CZ pulse with the parameters that a task loaded, accurate or not. @throws if its amplitude exceeds the line's limit */
export function loadedFluxPulse(experiment: PairExperiment): FluxPulse {
  const amplitude = allowedAmplitude(experiment, requireNumber(experiment.inputs, 'cz_flux_amplitude'));
  return { amplitude, lengthNs: requireNumber(experiment.inputs, 'cz_gate_time') };
}

/**
 * Average infidelity of the CZ gate as a task plays it, with its phases compensated: F = (Tr M M† + |Tr M|²) / 20 for the
 * remaining diagonal gate M, plus relaxation and dephasing, for the tuned qubit also by the flux.
 */
export function czError(experiment: PairExperiment): number {
  const { pair, inputs } = experiment;
  const pulse = loadedFluxPulse(experiment);
  const { higher } = byFrequency(pair);
  const left = (side: 'control' | 'target') =>
    (pair[side] === higher ? tunedPhase(pair, pulse) : 0) - requireNumber(inputs, `cz_${side}_phase`);
  const [ofControl, ofTarget] = [left('control'), left('target')];
  const kept = keptAmplitude(pair, pulse);
  // A perfect gate changes the sign of |11>.
  const both = ofControl + ofTarget + Math.PI;
  const trace = {
    re: 1 + Math.cos(ofTarget) + Math.cos(ofControl) + kept.re * Math.cos(both) - kept.im * Math.sin(both),
    im: Math.sin(ofTarget) + Math.sin(ofControl) + kept.re * Math.sin(both) + kept.im * Math.cos(both),
  };
  const coherent = (3 + kept.re ** 2 + kept.im ** 2 + trace.re ** 2 + trace.im ** 2) / 20;
  const times = (side: 'control' | 'target') => {
    const { t1, t2Echo } = pair[side];
    const dephasing = pair[side] === higher ? 1 / pair.fluxLine.dephasingTime : 0;
    return { t1, t2: 1 / (1 / t2Echo + dephasing) };
  };
  const incoherent = pairCoherenceInfidelity(pulse.lengthNs / 1000, times('control'), times('target'));
  return 1 - coherent + incoherent;
}
