/**
 * Writes topologies as files that operators may copy and edit. Without arguments, writes the shipped ones to
 * config/topologies. With ids of square lattices (`square-lattice-mux-36`), writes these to the directory given by `--to`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Topology } from '../shared/science/topology/model.ts';
import { generatedTopology, SHIPPED_TOPOLOGIES } from '../shared/science/topology/rules.ts';

const shipped = fileURLToPath(new URL('../config/topologies', import.meta.url));

/** Couplings per line of a file. */
const COUPLINGS_PER_LINE = 8;

/** The text of a topology's file: one line per qubit, several couplings per line. */
export function topologyText(topology: Topology): string {
  const { mux, visualization, couplings } = topology;
  const rows: string[] = [];
  for (let first = 0; first < couplings.length; first += COUPLINGS_PER_LINE) {
    const line = couplings.slice(first, first + COUPLINGS_PER_LINE).map(([a, b]) => `[${a}, ${b}]`);
    rows.push(`  ${line.join(', ')},`);
  }
  return [
    `id: ${topology.id}`,
    `name: ${topology.name}`,
    `description: ${topology.description}`,
    `grid_size: ${topology.grid_size}`,
    `num_qubits: ${topology.num_qubits}`,
    `layout_type: ${topology.layout_type}`,
    `direction_convention: ${topology.direction_convention}`,
    `mux: { enabled: ${mux.enabled}, size: ${mux.size} }`,
    'visualization:',
    `  { show_mux_boundaries: ${visualization.show_mux_boundaries}, region_size: ${visualization.region_size} }`,
    'qubits:',
    ...Object.entries(topology.qubits).map(([qid, { row, col }]) => `  ${qid}: { row: ${row}, col: ${col} }`),
    '# Each pair is [control, target].',
    'couplings: [',
    ...rows,
    ']',
    '',
  ].join('\n');
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string', default: shipped } },
  });
  mkdirSync(values.to, { recursive: true });
  for (const id of positionals.length > 0 ? positionals : SHIPPED_TOPOLOGIES) {
    const topology = generatedTopology(id);
    if (!topology) {
      console.error(
        `${id} is no square lattice: square-lattice-mux-<n> with n = 4, 16, 36, 64, … up to 4096.`,
      );
      process.exitCode = 1;
      return;
    }
    writeFileSync(join(values.to, `${id}.yaml`), topologyText(topology));
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main();
