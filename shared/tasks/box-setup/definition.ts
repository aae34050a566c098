import { DEFAULT_TIMEOUT } from '../common/definition/bases.ts';
import { defineTask, SIMULATOR_BACKEND } from '../model.ts';

/** A task of the boxes is executed once for all targets of a stage, a task of a qubit once for each target. */
const setupTask = {
  category: 'Box Setup',
  backends: [SIMULATOR_BACKEND],
  inputs: {},
  runParameters: {},
  outputs: {},
  figures: [],
  scope: 'batch',
  kind: 'measured',
  timeout: DEFAULT_TIMEOUT,
  r2Threshold: null,
} as const;

export const checkStatus = defineTask({
  ...setupTask,
  name: 'CheckStatus',
  taskType: 'global',
  description: 'Asks every box whether it is ready.',
});

export const linkUp = defineTask({
  ...setupTask,
  name: 'LinkUp',
  taskType: 'global',
  description: 'Links the boxes up again.',
});

export const dumpBox = defineTask({
  ...setupTask,
  name: 'DumpBox',
  taskType: 'global',
  description: 'Writes the settings of every box to the log.',
});

export const configure = defineTask({
  ...setupTask,
  name: 'Configure',
  taskType: 'qubit',
  description: 'Loads the configuration of a qubit, without the other readout targets on its port.',
  scope: 'target',
});

export const configureAll = defineTask({
  ...setupTask,
  name: 'ConfigureAll',
  taskType: 'system',
  description: 'Loads the configuration of all boxes of the given MUXes.',
  runParameters: {
    mux_ids: { value: [], valueType: 'list', unit: '', description: 'MUXes; empty means all' },
  },
});

export const readoutConfigure = defineTask({
  ...setupTask,
  name: 'ReadoutConfigure',
  taskType: 'global',
  description: 'Configures the readout of the given qubits.',
  runParameters: {
    qubits: { value: [], valueType: 'list', unit: '', description: 'Qubits; empty configures none' },
  },
});
