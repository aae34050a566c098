import type { AveragedSignals } from '../../science/device/readout.ts';

/** Drive frequencies around a centre (GHz), and pulse lengths (ns). */
export interface Grid {
  frequencies: number[];
  times: number[];
}

export interface Vertex {
  frequency: number;
  rabiFrequency: number;
}

/** The search grid: resonances per column of the sweep, and the ratio of neighbouring Rabi frequencies. */
const PER_COLUMN = 2;
const RABI_RATIO = 1.12;
/** The slowest Rabi frequency of the search, in turns within the longest pulse. */
const MIN_TURN = 0.25;
/** Ratio of explained variance to the noise of a point above which a pattern is significant, although many are tried. */
const STANDS_OUT = 50;

/**
 * Finds the vertex of a chevron. Tries many textbook patterns (Ω/W)² sin²(π W T) and takes the one that explains most
 * of the complex signal, refined by a parabola through its neighbours. Null if no pattern exceeds the noise.
 *
 * @param signals rows of times, columns of evenly spaced frequencies
 */
export function findVertex(signals: AveragedSignals, grid: Grid, rampNs: number): Vertex | null {
  const { frequencies, times } = grid;
  const [lowest = 0, highest = 0] = [frequencies[0], frequencies.at(-1)];
  const step = (highest - lowest) / (frequencies.length - 1) / PER_COLUMN;
  const places = PER_COLUMN * (frequencies.length - 1) + 1;
  const lengths = times.map((time) => time + rampNs);
  const longest = Math.max(...lengths);
  const centred = [signals.re, signals.im].map((values) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return Float64Array.from(values, (value) => value - mean);
  });
  const [re = new Float64Array(), im = new Float64Array()] = centred;
  const total = re.reduce((sum, value, index) => sum + value ** 2 + (im[index] ?? 0) ** 2, 0);
  const fastest = (times.length - 1) / (2 * (Math.max(...times) - Math.min(...times)));
  const rabis: number[] = [];
  for (let rabi = MIN_TURN / longest; rabi < fastest; rabi *= RABI_RATIO) rabis.push(rabi);
  // All detunings are multiples of the step, so few different curves remain.
  const explained = rabis.map((rabi) => {
    const curves = Array.from({ length: places }, (_, multiple) => {
      const generalised = Math.hypot(rabi, multiple * step);
      return lengths.map((time) => (rabi / generalised) ** 2 * Math.sin(Math.PI * generalised * time) ** 2);
    });
    return Array.from({ length: places }, (_, place) => {
      let [sum, squares, ofRe, ofIm] = [0, 0, 0, 0];
      for (let index = 0; index < re.length; index++) {
        const column = index % frequencies.length;
        const curve = curves[Math.abs(PER_COLUMN * column - place)];
        const value = curve?.[Math.floor(index / frequencies.length)] ?? 0;
        sum += value;
        squares += value * value;
        ofRe += value * (re[index] ?? 0);
        ofIm += value * (im[index] ?? 0);
      }
      return (ofRe ** 2 + ofIm ** 2) / (squares - sum ** 2 / re.length || 1);
    });
  });
  const best = { row: 0, place: 0, value: 0 };
  for (const [row, values] of explained.entries()) {
    for (const [place, value] of values.entries()) {
      if (value > best.value) Object.assign(best, { row, place, value });
    }
  }
  const ofNoise = (total - best.value) / re.length;
  if (!(best.value > STANDS_OUT * ofNoise)) return null;
  const at = (row: number, place: number) => explained[row]?.[place] ?? best.value;
  const { row, place } = best;
  return {
    frequency: lowest + step * (place + peak(at(row, place - 1), best.value, at(row, place + 1))),
    rabiFrequency: (rabis[row] ?? 0) * RABI_RATIO ** peak(at(row - 1, place), best.value, at(row + 1, place)),
  };
}

/** Position of the maximum of a parabola through three equally spaced values: steps from the middle one, at most half a step. */
function peak(before: number, middle: number, after: number): number {
  const bend = before - 2 * middle + after;
  return bend < 0 ? Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend))) : 0;
}
