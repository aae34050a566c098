import type { Dataset, DatasetVariable } from '../../../science/datasets/model.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import type { Random } from '../../../science/device/random.ts';
import {
  type AveragedSignals,
  flipProbability,
  type ReadoutSettings,
  separation,
  shotNoise,
} from '../../../science/device/readout.ts';

/** One shot, and whether it leaves the qubit excited. */
interface Shot {
  re: number;
  im: number;
  excited: boolean;
}

/**
 * Reads a qubit once: samples its state, unless strong readout flips it before, and adds the amplifier's noise in both
 * quadratures. If the qubit decays during the readout, the shot is between the states, depending on the time of the
 * decay.
 */
export function shotReader(
  qubit: TrueQubit,
  settings: ReadoutSettings,
  random: Random,
): (excited: boolean) => Shot {
  const distance = separation(qubit, settings);
  const flips = flipProbability(settings);
  const noise = shotNoise(qubit, settings);
  const [cos, sin] = [Math.cos(qubit.direction), Math.sin(qubit.direction)];
  return (before) => {
    const excited = random.uniform() < flips ? !before : before;
    const decayNs = -1000 * qubit.t1 * Math.log(1 - random.uniform());
    const position = excited ? distance * Math.min(1, decayNs / settings.lengthNs) : 0;
    const along = position + noise * random.normal();
    const across = noise * random.normal();
    return {
      re: qubit.groundRe + along * cos - across * sin,
      im: qubit.groundIm + along * sin + across * cos,
      excited: excited && decayNs > settings.lengthNs,
    };
  };
}

/** Single shots of a qubit that is excited with the given probability. Their average equals the result of `readOut`. */
export function readShots(
  qubit: TrueQubit,
  settings: ReadoutSettings,
  population: number,
  random: Random,
): AveragedSignals {
  const read = shotReader(qubit, settings, random);
  const signals: AveragedSignals = { re: [], im: [] };
  for (let shot = 0; shot < settings.shots; shot++) {
    const { re, im } = read(random.uniform() < population);
    signals.re.push(re);
    signals.im.push(im);
  }
  return signals;
}

/**
 * Single shots as a dataset over `state` (ground, excited) and `shot`, below an outer axis if there is one. `clouds` are
 * in the order of the axes, the outer one first.
 */
export function shotsDataset(
  clouds: readonly AveragedSignals[],
  shots: number,
  outer?: { name: string; coordinate: DatasetVariable },
): Dataset {
  const dims = [...(outer ? [outer.name] : []), 'state', 'shot'];
  return {
    dims: {
      ...(outer ? { [outer.name]: outer.coordinate.values.length } : {}),
      state: 2,
      shot: shots,
    },
    coordinates: {
      ...(outer ? { [outer.name]: outer.coordinate } : {}),
      state: {
        dims: ['state'],
        values: [0, 1],
        unit: '',
        long_name: 'Prepared state: 0 ground, 1 excited',
      },
      shot: {
        dims: ['shot'],
        values: Array.from({ length: shots }, (_, shot) => shot),
        unit: '',
        long_name: 'Number of the repetition',
      },
    },
    variables: {
      iq_re: {
        dims,
        values: joined(clouds.map(({ re }) => re)),
        unit: 'a.u.',
        long_name: 'In-phase signal of single shots',
      },
      iq_im: {
        dims,
        values: joined(clouds.map(({ im }) => im)),
        unit: 'a.u.',
        long_name: 'Quadrature signal of single shots',
      },
    },
  };
}

/** Concatenates the parts. For a hundred thousand shots, flatMap would block the event loop for too long. */
function joined(parts: readonly number[][]): number[] {
  const none: number[] = [];
  return none.concat(...parts);
}
