import { z } from 'zod';

/** Names of topologies, which are those of their files without the extension. */
export const TOPOLOGY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** Maximum number of qubits of a chip. */
const MAX_QUBITS = 4096;

const place = z.object({ row: z.number().int().min(0), col: z.number().int().min(0) });

/** Positions and couplings of a chip's qubits. Couplings are `[control, target]`. */
export const topology = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    grid_size: z.number().int(),
    num_qubits: z.number().int(),
    layout_type: z.enum(['grid', 'hex', 'linear']),
    direction_convention: z.enum(['unspecified', 'checkerboard_cr']),
    mux: z.object({ enabled: z.boolean(), size: z.number().int() }),
    qubits: z.record(z.string(), z.object({ row: z.number().int(), col: z.number().int() })),
    couplings: z.array(z.tuple([z.number().int(), z.number().int()])),
    visualization: z.object({ show_mux_boundaries: z.boolean(), region_size: z.number().int() }),
  })
  .meta({ id: 'TopologyDefinition' });
export type Topology = z.infer<typeof topology>;

/** A topology as in its file. Properties with default values may be missing. */
export const topologyFile = topology
  .extend({
    id: z.string().regex(TOPOLOGY_ID, 'must be letters, digits, ., _ or -, starting with a letter or digit'),
    description: z.string().default(''),
    grid_size: z.number().int().min(1).max(1000),
    num_qubits: z.number().int().min(1).max(MAX_QUBITS),
    layout_type: topology.shape.layout_type.default('grid'),
    direction_convention: topology.shape.direction_convention.default('unspecified'),
    mux: topology.shape.mux.default({ enabled: false, size: 2 }),
    qubits: z.record(z.string().regex(/^(0|[1-9]\d{0,4})$/, 'must be the number of a qubit'), place),
    visualization: topology.shape.visualization.default({ show_mux_boundaries: false, region_size: 4 }),
  })
  .strict()
  .superRefine(({ num_qubits, qubits, couplings }, context) => {
    const problem = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const count = Object.keys(qubits).length;
    if (count !== num_qubits) problem('qubits', `has ${count} qubits, but num_qubits is ${num_qubits}`);
    const places = new Set(Object.values(qubits).map(({ row, col }) => `${row}/${col}`));
    if (places.size !== count) problem('qubits', 'has two qubits at the same place');
    const known = new Set<string>();
    for (const [a, b] of couplings) {
      const name = `[${a}, ${b}]`;
      if (a === b) problem('couplings', `${name} couples a qubit with itself`);
      for (const end of [a, b]) if (!(end in qubits)) problem('couplings', `${name} names no qubit ${end}`);
      const pair = [Math.min(a, b), Math.max(a, b)].join('-');
      if (known.has(pair)) problem('couplings', `${name} is listed twice`);
      known.add(pair);
    }
  });

/** Item of GET /topology/list. */
export const topologyItem = z.object({ id: z.string(), name: z.string(), num_qubits: z.number().int() });
