import { QUBITS_PER_MUX } from '../../shared/science/conventions/multiplexer.ts';
import type { MuxWiring, Pair, PairRequest, Wiring } from '../../shared/science/schedulers/model.ts';
import { defaultTopologyId, generatedTopology } from '../../shared/science/topology/rules.ts';

/** A square chip of the default topology, as the input of a scheduler. */
export function squareChip(size: number) {
  const topology = generatedTopology(defaultTopologyId(size));
  if (!topology) throw new Error(`no square chip of ${size} qubits`);
  const qids = Array.from({ length: size }, (_, qubit) => String(qubit));
  const muxes: Record<string, string[]> = {};
  for (const [qubit, qid] of qids.entries()) {
    const mux = Math.floor(qubit / QUBITS_PER_MUX);
    muxes[mux] = [...(muxes[mux] ?? []), qid];
  }
  const couplings = topology.couplings.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]);
  return { topology, qids, muxes, couplings };
}

/** The pair request for a whole square chip that follows its design. */
export function wholeChip(size: number, wiring: Wiring | null = null): PairRequest {
  const { topology, muxes, couplings } = squareChip(size);
  return { couplings, design: topology.couplings, frequencies: {}, places: topology.qubits, muxes, wiring };
}

export function entry(mux: number, ports: Partial<Omit<MuxWiring, 'mux'>>): MuxWiring {
  return { mux, ctrl: [], read_out: null, read_in: null, pump: null, ...ports };
}

function wiringOf(muxes: number, portsOf: (mux: number) => Partial<Omit<MuxWiring, 'mux'>>): Wiring {
  return Object.fromEntries(Array.from({ length: muxes }, (_, mux) => [mux, entry(mux, portsOf(mux))]));
}

/** Two neighbouring multiplexers on each module. */
export function twoPerModule(size: number): Wiring {
  return wiringOf(size / QUBITS_PER_MUX, (mux) => {
    const module = `Q${Math.floor(mux / 2)}A`;
    return { ctrl: [`${module}-${5 + (mux % 2)}`], read_out: `${module}-${mux % 2}` };
  });
}

/** B modules that two multiplexers each share, beside an A module of their own (64 qubits and more). */
const sharedModules: Record<number, string> = {
  0: 'R21B',
  4: 'R21B',
  3: 'U10B',
  7: 'U10B',
  10: 'U13B',
  14: 'U13B',
};

export function mixedBoxes(size: number): Wiring {
  return wiringOf(size / QUBITS_PER_MUX, (mux) => {
    const shared = sharedModules[mux];
    return { ctrl: [`Q${mux}A-5`, ...(shared ? [`${shared}-${mux}`] : [])], read_out: `Q${mux}A-1` };
  });
}

export function undirected([control, target]: Pair): string {
  return [control, target].sort((a, b) => Number(a) - Number(b)).join('-');
}

/** Numbers in [0, 1) that a seed determines (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
