import { fileURLToPath } from 'node:url';
import { defineArea, type Kernel } from '../../kernel/area.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { createTopologies } from './topologies.ts';

export type Topologies = ReturnType<typeof topologies.create>;

/** Layouts of the qubits of chips: files that are shipped or added by operators. */
export const topologies = defineArea({
  name: 'topologies',
  indexes: [],
  create: ({ settings, log }: Kernel) =>
    createTopologies(
      [settings.CONFIG_PATH, fileURLToPath(new URL('config', packageRoot))].map(
        (path) => `${path}/topologies`,
      ),
      log,
    ),
});
