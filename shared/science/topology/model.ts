import { z } from 'zod';

/** How a chip's qubits lie and which of them are coupled. Couplings are `[control, target]`. */
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
