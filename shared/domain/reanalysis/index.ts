import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Backends } from '../backends/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Executions } from '../executions/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createReanalysing } from './reanalysing.ts';

/** Repeated analysis of stored data, as a preview. */
export const reanalysis = defineArea({
  name: 'reanalysis',
  indexes: [],
  create: (
    needs: Kernel & {
      artifacts: Artifacts;
      backends: Backends;
      chips: Chips;
      executions: Executions;
      results: TaskResultStore;
    },
  ) => createReanalysing(needs),
  close: ({ close }) => close(),
});
