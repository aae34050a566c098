import { z } from 'zod';
import type { Topology } from '../topology/model.ts';

/** Steps one after another; a step's lanes in parallel; a lane's targets one after another. */
export type Schedule = string[][][];

/** A coupling with its direction. */
export type Pair = readonly [control: string, target: string];

/** A requested target that is not in the schedule, and the reason. */
export interface Exclusion {
  target: string;
  reason: string;
}

/** Two items that cannot be driven at the same time, and the reason. */
export interface Conflict {
  a: string;
  b: string;
  reason: string;
}

/** A request that no schedule can satisfy. The message explains what to change. */
export class SchedulingError extends Error {
  override name = 'SchedulingError';
}

const port = z.string().regex(/^\S+-\d+$/, 'a port is written MODULE-number, as in R21B-5');

/** The wiring of one multiplexer as in `wiring.yaml`. Ports are `MODULE-number`. */
export const muxWiring = z.object({
  mux: z.number('mux is the number of a multiplexer').int('mux is a whole number').nonnegative(),
  ctrl: z.array(port, 'ctrl is a list of ports').default([]),
  read_out: port.nullable().default(null),
  read_in: port.nullable().default(null),
  pump: port.nullable().default(null),
});
export type MuxWiring = z.infer<typeof muxWiring>;

/** Wiring of a chip, by multiplexer id. */
export type Wiring = Record<string, MuxWiring>;

/**
 * Kind of control electronics that a multiplexer is connected to. A MUX with both kinds, or with no known kind, is
 * MIXED.
 */
export type BoxType = 'A' | 'B' | 'MIXED';

export type OneQubitMode = 'scheduled' | 'synchronized' | 'serial' | 'simultaneous';

/** The order of the qubits in a multiplexer; see `ordering.ts`. */
export type Ordering = 'natural' | 'checkerboard' | 'parity';

export interface OneQubitRequest {
  qids: readonly string[];
  exclude?: readonly string[];
  mode: OneQubitMode;
  /** For mode simultaneous: every qubit at once (default), or four batches by position in the multiplexer. */
  batches?: 'all' | 'local_index';
  /** Default: checkerboard in mode synchronized, natural in all others. */
  ordering?: Ordering;
  /** Qubits in a row of the chip (the topology's `grid_size`); ordering parity needs it. */
  grid_size?: number;
  /** The chip's multiplexers: id → its qubits in order. */
  muxes: Readonly<Record<string, readonly string[]>>;
  /** Null: no wiring is known, so every multiplexer counts as independent. */
  wiring: Wiring | null;
}

/** Summary of one step of a schedule. */
export interface OneQubitStep {
  box_type: BoxType;
  mux_ids: string[];
  /** Number of qubits. */
  targets: number;
}

export interface OneQubitPlan {
  schedule: Schedule;
  /** One entry for each step of the schedule. */
  steps: OneQubitStep[];
  excluded: Exclusion[];
  /** Multiplexers of this schedule that share electronics (`a` and `b` are their ids). */
  conflicts: Conflict[];
  metadata: {
    mode: OneQubitMode;
    ordering: Ordering;
    total_qubits: number;
    box_a_count: number;
    box_b_count: number;
    mixed_count: number;
    num_steps: number;
    /** Qubits that the request named more than once; each is scheduled once. */
    repeated: string[];
    /** Messages about what the schedule assumes. */
    notes: string[];
  };
}

/** The source of the direction of the pairs. */
export type DirectionMethod = 'design' | 'measured' | 'parity';

/**
 * `intra_first`: pairs inside a multiplexer come first, and their groups are filled up with pairs
 * between multiplexers. `intra_then_inter`: no group mixes the two.
 */
export type PairStrategy = 'intra_first' | 'intra_then_inter';

/** A rule that keeps a pair, reverses it, or excludes it from the schedule with a reason. */
export interface PairFilter {
  name: string;
  judge(pair: Pair): Pair | { reason: string };
}

export interface FilterReport {
  name: string;
  input: number;
  output: number;
  excluded: Exclusion[];
}

export interface PairRequest {
  /** Ids of the chip's couplings, possibly with both directions of an edge. */
  couplings: readonly string[];
  /** Qubits that may take part; absent: all. */
  candidates?: readonly string[];
  /** Measured qubit frequencies, GHz; null or absent if there is none. */
  frequencies: Readonly<Record<string, number | null>>;
  /** `[control, target]` of every edge, where the topology sets the direction; else null. */
  design: Topology['couplings'] | null;
  /** Positions of the qubits in the topology, for the direction by parity. */
  places?: Topology['qubits'];
  muxes: Readonly<Record<string, readonly string[]>>;
  /** Null: no wiring is known, so every multiplexer counts as independent. */
  wiring: Wiring | null;
  /** Pairs of a group, 1 or more. Default 10. */
  max_parallel_ops?: number;
  /** Default `intra_first`. */
  strategy?: PairStrategy;
  /** Swaps control and target of every pair, in the same groups. */
  inverse?: boolean;
  /** Keeps pairs on neighbouring qubits in different groups, because each is disturbed by the other's drive. */
  spectators?: boolean;
  /** Filters beyond the built-in ones, applied after them in this order. */
  filters?: readonly PairFilter[];
}

export interface PairPlan {
  /** One step for each group; each pair is a separate lane, written `control-target`. */
  schedule: Schedule;
  groups: Pair[][];
  excluded: Exclusion[];
  /** All scheduled pairs that cannot share a group, two by two. It is too long for the store on large chips. */
  conflicts: Conflict[];
  direction_method: DirectionMethod;
  /** The pairs that each filter removed, in the order of the filters. */
  filters: FilterReport[];
  metadata: {
    total_pairs: number;
    scheduled_pairs: number;
    intra_pairs: number;
    inter_pairs: number;
    num_groups: number;
    /** Lower bound on the number of groups of any schedule of these pairs. */
    lower_bound: number;
    max_parallel_ops: number;
    strategy: PairStrategy;
    inverse: boolean;
    spectators: boolean;
    /** Messages about what the schedule assumes. */
    notes: string[];
  };
}
