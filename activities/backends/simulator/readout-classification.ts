import { loadedPulse, played, populationAfterPulses } from './drag-experiment.ts';
import { readoutSettings, shorten, type TaskPhysics } from './physics.ts';
import { readShots } from './single-shots.ts';

/** More shots would only make the files larger: errors are far below a percent already. */
const MOST_SHOTS = 50_000;

/** Single shots after preparing the ground state (doing nothing) and the excited one (two pi/2 pulses). */
export const readoutClassificationPhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, noise } = experiment;
    const settings = readoutSettings(experiment);
    if (!Number.isSafeInteger(settings.shots) || settings.shots > MOST_SHOTS) {
      throw new Error(`The simulator keeps at most ${MOST_SHOTS} single shots, not ${settings.shots}.`);
    }
    const pulse = played(qubit, loadedPulse(experiment, 'drag_hpi'));
    const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, [pulse, pulse])];
    const clouds = prepared.map((population) => readShots(qubit, settings, population, noise));
    const dims = ['state', 'shot'];
    return {
      dims: { state: 2, shot: settings.shots },
      coordinates: {
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
