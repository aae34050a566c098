import { type BlochVector, equilibrium, excitedPopulation, wait } from '../../science/device/bloch.ts';
import { byFrequency, keptAmplitude, tunedPhase } from '../../science/device/flux-gate.ts';
import { readOut } from '../../science/device/readout.ts';
import { withPhase } from '../../science/quantum/rotations.ts';
import { loadedPulse, play, played } from '../common/simulation/drag-experiment.ts';
import { excitation, loadedFluxPulse } from '../common/simulation/flux-experiment.ts';
import type { Experiment, PairExperiment, PairSimulation } from '../common/simulation/model.ts';
import { addPairReferences } from '../common/simulation/pair-references.ts';
import { readoutSettings, requireSweep } from '../common/simulation/parameters.ts';
import { shorten } from '../common/simulation/sweeps.ts';

const MAX_POINTS = 2000;

/** The coherence of a qubit, rotated and reduced by a complex factor. */
function turned(state: BlochVector, factor: { re: number; im: number }): BlochVector {
  return {
    x: factor.re * state.x - factor.im * state.y,
    y: factor.im * state.x + factor.re * state.y,
    z: state.z,
  };
}

/** Populations of one qubit after the second pulse, for each phase of that pulse. */
function fringe(
  experiment: PairExperiment,
  probe: Experiment,
  { spectator, phases }: { spectator: number; phases: readonly number[] },
): number[] {
  const { pair } = experiment;
  const pulse = loadedFluxPulse(experiment);
  const { qubit } = probe;
  const isTuned = byFrequency(pair).higher === qubit;
  const own = isTuned ? tunedPhase(pair, pulse) : 0;
  const dephased = isTuned ? Math.exp(-pulse.lengthNs / (1000 * pair.fluxLine.dephasingTime)) : 1;
  const kept = keptAmplitude(pair, pulse);
  const [re, im] = [1 - spectator + spectator * kept.re, spectator * kept.im];
  const factor = {
    re: dephased * (re * Math.cos(own) - im * Math.sin(own)),
    im: dephased * (re * Math.sin(own) + im * Math.cos(own)),
  };
  const quarter = played(qubit, loadedPulse(probe, 'drag_hpi'));
  const equator = play(qubit, equilibrium(qubit), quarter);
  const behind = turned(wait(qubit, equator, { durationNs: pulse.lengthNs, detuning: 0 }), factor);
  return phases.map((phase) =>
    excitedPopulation(play(qubit, behind, { ...quarter, rotation: withPhase(quarter.rotation, phase) })),
  );
}

/**
 * Fringes of each qubit over the phase of its second pi/2 pulse, with the flux pulse between its pi/2 pulses, for the
 * other qubit in its ground state and after two pi/2 pulses.
 */
export const czPhaseSimulation: PairSimulation = {
  measure(experiment) {
    const { control, target, run, noise } = experiment;
    const phases = requireSweep(run, 'phase_range');
    if (phases.length > MAX_POINTS) {
      throw new Error(`The simulator measures at most ${MAX_POINTS} phases, not ${phases.length}.`);
    }
    const variablesOf = (name: string, probe: Experiment, other: Experiment) => {
      const populations = [0, excitation(other)].flatMap((spectator) =>
        fringe(experiment, probe, { spectator, phases }),
      );
      const { re, im } = readOut(probe.qubit, readoutSettings(probe), populations, noise);
      const variable = (values: readonly number[], part: string) => ({
        dims: ['spectator_state', 'phase'],
        values: shorten(values),
        unit: 'a.u.',
        long_name: `${part} signal of the ${name}`,
      });
      return { [`${name}_re`]: variable(re, 'In-phase'), [`${name}_im`]: variable(im, 'Quadrature') };
    };
    return addPairReferences(
      {
        dims: { spectator_state: 2, phase: phases.length },
        coordinates: {
          spectator_state: {
            dims: ['spectator_state'],
            values: [0, 1],
            unit: '',
            long_name: 'Prepared state of the other qubit: 0 ground, 1 excited',
          },
          phase: {
            dims: ['phase'],
            values: shorten(phases),
            unit: 'rad',
            long_name: 'Phase of the second pi/2 pulse',
          },
        },
        variables: {
          ...variablesOf('target', target, control),
          ...variablesOf('control', control, target),
        },
      },
      experiment,
    );
  },
};
