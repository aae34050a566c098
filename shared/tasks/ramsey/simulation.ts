import { applyPulse, equilibrium, excitedPopulation, wait } from '../../science/device/bloch.ts';
import { readOut } from '../../science/device/readout.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { readoutSettings, requireNumber, requireTimes } from '../common/simulation/parameters.ts';
import { hpiReferences, plainHpi } from '../common/simulation/plain-pulses.ts';
import { withReferenceStates } from '../common/simulation/reference-states.ts';
import { shorten, sweepDataset } from '../common/simulation/sweeps.ts';

/**
 * π/2 – free time – π/2, all with a drive that lies `detuning` above the believed frequency. The second pulse turns
 * about −x for the X fringe and about y for the Y fringe: X goes as the cosine and Y as the sine of the drive phase.
 */
export const ramseySimulation: QubitSimulation = {
  measure(experiment) {
    const { qubit, run, noise } = experiment;
    const points = requireTimes(run);
    const believed = plainHpi(experiment);
    const hpi = { ...believed, detuning: believed.detuning + requireNumber(run, 'detuning') };
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
    const settings = readoutSettings(experiment);
    const axis = { name: 'time', longName: 'Free time between the pulses', unit: 'ns', points };
    const x = readOut(qubit, settings, fringe(Math.PI), noise);
    const y = readOut(qubit, settings, fringe(Math.PI / 2), noise);
    const { variables, ...dataset } = sweepDataset(axis, x);
    const part = { dims: ['time'], unit: 'a.u.' };
    const { iq_re, iq_im } = variables;
    return withReferenceStates(
      {
        ...dataset,
        variables: {
          ...(iq_re === undefined
            ? {}
            : { x_re: { ...iq_re, long_name: 'In-phase signal of the X fringe' } }),
          ...(iq_im === undefined
            ? {}
            : { x_im: { ...iq_im, long_name: 'Quadrature signal of the X fringe' } }),
          y_re: { ...part, values: shorten(y.re), long_name: 'In-phase signal of the Y fringe' },
          y_im: { ...part, values: shorten(y.im), long_name: 'Quadrature signal of the Y fringe' },
        },
      },
      [0, 1],
      readOut(qubit, settings, hpiReferences(experiment), noise),
    );
  },
};
