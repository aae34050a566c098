import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createTaskResultStore, type TaskResultStore, taskResultIndexes } from './store.ts';

export type { StateOfResults } from './changes.ts';
export type { LeftOutRow } from './exclusions.ts';
export { type CompletedRow, isLeftOut } from './metric-rows.ts';
export type { OutputRow } from './output-rows.ts';
export type { TaskResultStore } from './store.ts';
export type { CheckRow } from './target-checks.ts';
export type { PlacedTask } from './task-pages.ts';
export type { StageRow, TargetTask } from './tasks-of-execution.ts';
export type { ClosedTask, TaskTimes } from './times-of-tasks.ts';

/** Task results of executions. */
export const results = defineArea({
  name: 'results',
  indexes: [taskResultIndexes],
  create: ({ db }: Kernel): TaskResultStore => createTaskResultStore(db),
});
