import type { Dataset } from '../../science/datasets/model.ts';
import { applyPulse, equilibrium, excitedPopulation, wait } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import { withPhase } from '../../science/quantum/rotations.ts';
import { loadedPulse, play, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import type { Experiment, QubitSimulation } from '../common/simulation/model.ts';
import {
  readoutSettings,
  requireNumber,
  requireSweep,
  requireTimes,
} from '../common/simulation/parameters.ts';
import { hpiReferences, plainHpi } from '../common/simulation/plain-pulses.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';
import { shorten, sweepDataset } from '../common/simulation/sweeps.ts';

/**
 * π/2 – free time – π/2, with a drive `detuning` above the stored frequency. The second pulse rotates about −x for the
 * X fringe and about y for the Y fringe, so X is the cosine and Y the sine of the drive phase.
 */
export const ramseySimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, run } = experiment;
    const points = requireTimes(run);
    const stored = plainHpi(experiment);
    const hpi = { ...stored, detuning: stored.detuning + requireNumber(run, 'detuning') };
    const equator = applyPulse(qubit, equilibrium(qubit), hpi);
    const fringe = (phase: number) =>
      points.map((time) => {
        const precessed = wait(qubit, equator, {
          durationNs: time,
          detuning: hpi.detuning,
          t2: qubit.t2Star,
        });
        return excitedPopulation(applyPulse(qubit, precessed, { ...hpi, phase }));
      });
    return fringesDataset(experiment, points, {
      x: fringe(Math.PI),
      y: fringe(Math.PI / 2),
      prepared: hpiReferences(experiment),
    });
  },
};

/**
 * π/2 – free time – π/2 with DRAG pulses at the stored frequency. Instead of a detuning, the phase of the second pulse
 * advances.
 */
export const fineFrequencySimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, inputs, run } = experiment;
    const points = requireSweep(run, 'time_range');
    const ahead = requireNumber(run, 'detuning');
    const detuning = requireNumber(inputs, 'qubit_frequency') - qubit.f01;
    const hpi = played(qubit, loadedPulse(experiment, 'drag_hpi'));
    const equator = play(qubit, equilibrium(qubit), hpi);
    const fringe = (phase: number) =>
      points.map((time) => {
        const precessed = wait(qubit, equator, { durationNs: time, detuning, t2: qubit.t2Star });
        const rotation = withPhase(hpi.rotation, phase + 2 * Math.PI * ahead * time);
        return excitedPopulation(play(qubit, precessed, { ...hpi, rotation }));
      });
    return fringesDataset(experiment, points, {
      x: fringe(Math.PI),
      y: fringe(Math.PI / 2),
      prepared: [qubit.thermalPopulation, populationAfterPulses(qubit, [hpi, hpi])],
    });
  },
};

/** Both fringes over the free time, and the two prepared states. */
function fringesDataset(
  experiment: Experiment,
  points: readonly number[],
  populations: Record<'x' | 'y' | 'prepared', readonly number[]>,
): Dataset {
  const settings = readoutSettings(experiment);
  const read = (values: readonly number[]) => readOut(experiment.qubit, settings, values, experiment.noise);
  const axis = { name: 'time', longName: 'Free time between the pulses', unit: 'ns', points };
  const [x, y] = [read(populations.x), read(populations.y)];
  const { variables, ...dataset } = sweepDataset(axis, x);
  const part = { dims: ['time'], unit: 'a.u.' };
  const { iq_re, iq_im } = variables;
  return withReferenceStates(
    {
      ...dataset,
      variables: {
        ...(iq_re === undefined ? {} : { x_re: { ...iq_re, long_name: 'In-phase signal of the X fringe' } }),
        ...(iq_im === undefined
          ? {}
          : { x_im: { ...iq_im, long_name: 'Quadrature signal of the X fringe' } }),
        y_re: { ...part, values: shorten(y.re), long_name: 'In-phase signal of the Y fringe' },
        y_im: { ...part, values: shorten(y.im), long_name: 'Quadrature signal of the Y fringe' },
      },
    },
    [0, 1],
    read(populations.prepared),
  );
}
