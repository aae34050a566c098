import { bellStatePhysics, bellTomographyPhysics } from './bell-state/simulation.ts';
import { checkZx90Physics } from './check-zx90/simulation.ts';
import type { PairPhysics } from './common/simulation/pair-experiment.ts';
import { createZx90Physics } from './create-zx90/simulation.ts';
import { crossResonancePhysics } from './cross-resonance/simulation.ts';
import { staticZzPhysics } from './static-zz/simulation.ts';
import { zx90BenchmarkingPhysics } from './two-qubit-benchmarking/simulation.ts';

/** The physics of coupling tasks by their names. */
export const pairPhysics: ReadonlyMap<string, PairPhysics> = new Map([
  ['CheckStaticZZ', staticZzPhysics],
  ['CheckCrossResonance', crossResonancePhysics],
  ['CreateZX90', createZx90Physics],
  ['CheckZX90', checkZx90Physics],
  ['CheckBellState', bellStatePhysics],
  ['CheckBellStateTomography', bellTomographyPhysics],
  ['ZX90InterleavedRandomizedBenchmarking', zx90BenchmarkingPhysics],
]);
