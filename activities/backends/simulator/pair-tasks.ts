import { bellStatePhysics, bellTomographyPhysics } from './bell-state.ts';
import { crossResonancePhysics } from './check-cross-resonance.ts';
import { staticZzPhysics } from './check-static-zz.ts';
import { checkZx90Physics } from './check-zx90.ts';
import { createZx90Physics } from './create-zx90.ts';
import type { PairPhysics } from './pair-experiment.ts';
import { zx90BenchmarkingPhysics } from './two-qubit-benchmarking.ts';

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
