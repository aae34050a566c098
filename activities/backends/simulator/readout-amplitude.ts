import { excitedByControl } from './check-readout.ts';
import { readoutSettings, requireSweep, shorten, type TaskPhysics } from './physics.ts';
import { readShots } from './single-shots.ts';

/** More values would make a file of tens of megabytes. */
const MOST_VALUES = 2_000_000;

/** Single shots of both prepared states at each readout amplitude. */
export const optimalReadoutAmplitudePhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, run, noise } = experiment;
    const amplitudes = shorten(requireSweep(run, 'amplitude_range'));
    const settings = readoutSettings(experiment);
    const count = amplitudes.length * 2 * settings.shots;
    if (!Number.isSafeInteger(settings.shots) || count > MOST_VALUES) {
      throw new Error(`The simulator keeps at most ${MOST_VALUES} single shots, not ${count}.`);
    }
    const prepared = [qubit.thermalPopulation, excitedByControl(experiment)];
    const clouds = amplitudes.flatMap((amplitude) =>
      prepared.map((population) => readShots(qubit, { ...settings, amplitude }, population, noise)),
    );
    const dims = ['amplitude', 'state', 'shot'];
    return {
      dims: { amplitude: amplitudes.length, state: 2, shot: settings.shots },
      coordinates: {
        amplitude: {
          dims: ['amplitude'],
          values: amplitudes,
          unit: 'a.u.',
          long_name: 'Amplitude of the readout pulse',
        },
        state: {
          dims: ['state'],
          values: [0, 1],
          unit: '',
          long_name: 'Prepared state: 0 ground, 1 excited',
        },
        shot: {
          dims: ['shot'],
          values: Array.from({ length: settings.shots }, (_, shot) => shot),
          unit: '',
          long_name: 'Number of the repetition',
        },
      },
      variables: {
        iq_re: {
          dims,
          values: clouds.flatMap(({ re }) => shorten(re)),
          unit: 'a.u.',
          long_name: 'In-phase signal of single shots',
        },
        iq_im: {
          dims,
          values: clouds.flatMap(({ im }) => shorten(im)),
          unit: 'a.u.',
          long_name: 'Quadrature signal of single shots',
        },
      },
    };
  },
};
