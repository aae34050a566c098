import { SIMULATOR_BACKEND } from '../common/definition/backends.ts';
import { DEFAULT_TIMEOUT } from '../common/definition/common.ts';
import type { TaskDefinition, TaskType } from '../model.ts';

/** A task of the boxes is done once for all targets of a stage, one of a qubit for each. */
function setupTask(
  name: string,
  taskType: TaskType,
  description: string,
  more: Partial<TaskDefinition> = {},
): TaskDefinition {
  return {
    name,
    taskType,
    category: 'Box Setup',
    description,
    backends: [SIMULATOR_BACKEND],
    inputs: {},
    runParameters: {},
    outputs: {},
    figures: [],
    scope: taskType === 'qubit' ? 'target' : 'batch',
    kind: 'measured',
    timeout: DEFAULT_TIMEOUT,
    r2Threshold: null,
    ...more,
  };
}

export const checkStatus = setupTask('CheckStatus', 'global', 'Asks every box whether it is ready.');
export const linkUp = setupTask('LinkUp', 'global', 'Links the boxes up again.');
export const dumpBox = setupTask('DumpBox', 'global', 'Writes the settings of every box to the log.');
export const checkNoise = setupTask(
  'CheckNoise',
  'global',
  'Records the noise of the converters without any drive.',
  { figures: [{ description: 'Noise in the IQ plane' }] },
);
export const configure = setupTask(
  'Configure',
  'qubit',
  'Pushes the configuration of a qubit, without the other readout targets on its port.',
);
export const configureAll = setupTask(
  'ConfigureAll',
  'system',
  'Pushes the configuration of all boxes of the given MUXes.',
  {
    runParameters: {
      mux_ids: { value: [], valueType: 'list', unit: '', description: 'MUXes; empty means all' },
    },
  },
);
export const readoutConfigure = setupTask(
  'ReadoutConfigure',
  'global',
  'Configures the readout of the given qubits.',
  {
    runParameters: {
      qubits: { value: [], valueType: 'list', unit: '', description: 'Qubits; empty configures none' },
    },
  },
);
