import { type BlochVector, equilibrium, excitedPopulation, wait } from '../../science/device/bloch.ts';
import { staticZz } from '../../science/device/pair-device.ts';
import { readOut } from '../../science/device/readout.ts';
import { withPhase } from '../../science/quantum/rotations.ts';
import { loadedPulse, play, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import type { PairSimulation } from '../common/simulation/model.ts';
import { addPairReferences } from '../common/simulation/pair-references.ts';
import { readoutSettings, requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { shorten } from '../common/simulation/sweeps.ts';

const MAX_POINTS = 2000;

/**
 * Ramsey fringes of the target, X and Y, with the control in its ground state and after two pi/2 pulses. The excited
 * control shifts the target by the static ZZ interaction until it decays.
 */
export const staticZzSimulation: PairSimulation = {
  measure(experiment) {
    const { pair, control, target, run, noise } = experiment;
    const points = requireSweep(run, 'time_range');
    if (points.length > MAX_POINTS) {
      throw new Error(`The simulator measures at most ${MAX_POINTS} times, not ${points.length}.`);
    }
    const pulse = loadedPulse(target, 'drag_hpi');
    const detuning = pulse.frequency + requireNumber(run, 'detuning') - target.qubit.f01;
    const quarter = played(target.qubit, { ...pulse, frequency: target.qubit.f01 + detuning });
    const flip = played(control.qubit, loadedPulse(control, 'drag_hpi'));
    const prepared = [0, populationAfterPulses(control.qubit, [flip, flip])];
    const equator = play(target.qubit, equilibrium(target.qubit), quarter);
    const fringe = (excited: number, phase: number) =>
      points.map((time) => {
        const free = (shift: number) =>
          wait(target.qubit, equator, {
            durationNs: time,
            detuning: detuning - shift,
            t2: target.qubit.t2Star,
          });
        const [a, b] = [free(0), free(staticZz(pair))];
        const mixed: BlochVector = {
          x: (1 - excited) * a.x + excited * b.x,
          y: (1 - excited) * a.y + excited * b.y,
          z: (1 - excited) * a.z + excited * b.z,
        };
        const last = { ...quarter, rotation: withPhase(quarter.rotation, phase) };
        return excitedPopulation(play(target.qubit, mixed, last));
      });
    const settings = readoutSettings(target);
    const signals = (phase: number) =>
      readOut(
        target.qubit,
        settings,
        prepared.flatMap((excited) => fringe(excited, phase)),
        noise,
      );
    const [x, y] = [signals(Math.PI), signals(Math.PI / 2)];
    const variable = (values: readonly number[], part: string, axis: string) => ({
      dims: ['control_state', 'time'],
      values: shorten(values),
      unit: 'a.u.',
      long_name: `${part} signal of the ${axis} fringe`,
    });
    return addPairReferences(
      {
        dims: { control_state: 2, time: points.length },
        coordinates: {
          control_state: {
            dims: ['control_state'],
            values: [0, 1],
            unit: '',
            long_name: 'Prepared state of the control: 0 ground, 1 excited',
          },
          time: { dims: ['time'], values: shorten(points), unit: 'ns', long_name: 'Free time' },
        },
        variables: {
          x_re: variable(x.re, 'In-phase', 'X'),
          x_im: variable(x.im, 'Quadrature', 'X'),
          y_re: variable(y.re, 'In-phase', 'Y'),
          y_im: variable(y.im, 'Quadrature', 'Y'),
        },
      },
      experiment,
    );
  },
};
