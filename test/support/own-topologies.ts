import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topologyText } from '../../scripts/topology-files.ts';
import { generatedTopology } from '../../shared/science/topology/rules.ts';

/** Gives a lab a topology of its own for chips of four qubits, which are quick to make. */
export async function addSmallTopology(configuration: string): Promise<void> {
  const id = 'square-lattice-mux-4';
  const topology = generatedTopology(id);
  if (!topology) throw new Error(`no ${id}`);
  const directory = join(configuration, 'topologies');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `${id}.yaml`), topologyText(topology));
}
