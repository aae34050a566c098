/** Executions: what was recorded of runs, from their request to their end. */
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import type { TaskResultStore } from '../results/index.ts';
import { commandIndexes, createCommandStore } from './command-store.ts';
import { createPinnedChipStore, pinnedChipIndexes } from './pinned-chip-store.ts';
import { createExecutionReader } from './reading.ts';
import { createExecutionStore, executionIndexes } from './store.ts';

export type { CommandStore } from './command-store.ts';
export { executionDirectory } from './directory.ts';
export { newExecution } from './new-execution.ts';
export type { PinnedChipStore } from './pinned-chip-store.ts';
export type { ExecutionReader } from './reading.ts';
export type { ExecutionStore } from './store.ts';

export const indexes: readonly CollectionIndexes[] = [
  ...executionIndexes,
  ...commandIndexes,
  ...pinnedChipIndexes,
];

/** The records of runs, and what clients read of them. */
export function createExecutions({ db, results }: { db: Db; results: TaskResultStore }) {
  const executions = createExecutionStore(db);
  const commands = createCommandStore(db);
  return {
    executions,
    commands,
    pinnedChips: createPinnedChipStore(db),
    reader: createExecutionReader({ executions, commands, results }),
  };
}
