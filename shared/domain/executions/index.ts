import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { TaskResultStore } from '../results/index.ts';
import { commandIndexes, createCommandStore } from './command-store.ts';
import { createPinnedChipStore, pinnedChipIndexes } from './pinned-chip-store.ts';
import { createExecutionReader } from './reading.ts';
import { createExecutionStore, executionIndexes } from './store.ts';

export type { CommandStore, FlowEntryDocument } from './command-store.ts';
export { executionDirectory } from './directory-rules.ts';
export { newExecution } from './new-execution.ts';
export type { PinnedChip } from './pinned-chip-store.ts';
export type { ExecutionStore } from './store.ts';

export type Executions = ReturnType<typeof executions.create>;

/** Records of runs. */
export const executions = defineArea({
  name: 'executions',
  indexes: [...executionIndexes, ...commandIndexes, ...pinnedChipIndexes],
  create({ db, settings, results }: Kernel & { results: TaskResultStore }) {
    const store = createExecutionStore(db);
    const commands = createCommandStore(db);
    return {
      ...createExecutionReader({ executions: store, commands, results, root: settings.CALIB_DATA_PATH }),
      store,
      commands,
      pinnedChips: createPinnedChipStore(db),
    };
  },
});
