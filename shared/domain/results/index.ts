/** Results of tasks: what each was made with, what it measured and found. */
import type { CollectionIndexes } from '../../kernel/database.ts';
import { taskResultIndexes } from './store.ts';

export type { TaskResultStore } from './store.ts';
export { createTaskResultStore } from './store.ts';
export type { ClosedTask, StageRow, TargetTask } from './tasks-of-execution.ts';

export const indexes: readonly CollectionIndexes[] = [taskResultIndexes];
