import { defineArea, type Kernel } from '../../kernel/area.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { TaskResultStore } from '../results/index.ts';
import { commandIndexes, createCommandStore } from './command-store.ts';
import { appendToLog, type LogLine, logFileOf } from './log-file.ts';
import { createPinnedChipStore, pinnedChipIndexes } from './pinned-chip-store.ts';
import { createExecutionReader } from './reading.ts';
import { createExecutionStore, executionIndexes } from './store.ts';

export type { CommandStore } from './command-store.ts';
export { executionDirectory } from './directory-rules.ts';
export type { FlowEntryDocument } from './flow-entry-store.ts';
export { newExecution } from './new-execution.ts';
export type { PinnedChip } from './pinned-chip-store.ts';
export type { ExecutionStore } from './store.ts';

type LoggingRun = Parameters<typeof logFileOf>[0];

export type Executions = ReturnType<typeof executions.create>;

/** Records of runs. */
export const executions = defineArea({
  name: 'executions',
  indexes: [...executionIndexes, ...commandIndexes, ...pinnedChipIndexes],
  create({ db, settings, results }: Kernel & { results: TaskResultStore }) {
    const store = createExecutionStore(db);
    const commands = createCommandStore(db);
    return {
      ...createExecutionReader({
        executions: store,
        commands,
        results,
        root: settings.CALIB_DATA_PATH,
        timezone: settings.TIMEZONE,
      }),
      /** Keeps what a flow logged and recorded: all of it in the run's log file, then its ends in the store. */
      async addEntries(run: LoggingRun, lines: readonly LogLine[]): Promise<void> {
        const { project_id, execution_id } = run;
        await appendToLog(settings.CALIB_DATA_PATH, run, lines);
        const documents = lines.map((line) => ({
          _id: keyOf(project_id, execution_id, line.index),
          project_id,
          execution_id,
          ...line,
        }));
        await commands.addEntries(documents, logFileOf(run));
      },
      store,
      commands,
      pinnedChips: createPinnedChipStore(db),
    };
  },
});
