import { defineArea, type Kernel } from '../../kernel/area.ts';
import { taskNames } from '../../tasks/catalog.ts';
import { createFlowChecking } from './checking.ts';
import type { FlowProblem } from './problem-model.ts';
import { createFlowStore, flowIndexes } from './store.ts';
import { listHelpers, listTemplates, readHelper, readTemplate } from './templates.ts';
import { createFlowVersions } from './versions.ts';

export type Flows = ReturnType<typeof flows.create>;

/** Flows that labs write, and what they are written from. */
export const flows = defineArea({
  name: 'flows',
  indexes: flowIndexes,
  create: ({ db, settings }: Kernel) => {
    const checking = createFlowChecking(taskNames);
    const { versionStore, withCode, ...store } = createFlowStore(db, settings, checking);
    return {
      ...store,
      versions: createFlowVersions({ versionStore, withCode, save: store.save }),
      /** What is wrong with a flow, as it would be saved; nothing with a right one. @throws invalid_flow, too_many_requests */
      async check(projectId: string, code: string, functionName: string): Promise<FlowProblem[]> {
        const checked = await checking.flow(projectId, code, functionName);
        return checked.ok ? [] : checked.problems;
      },
      /** The parameters of a run as a flow declares them, and what is wrong with them. */
      checkParameters: checking.parameters,
      templates: { list: listTemplates, read: readTemplate },
      /** Typed declarations that flows are written against. */
      helpers: { list: listHelpers, read: readHelper },
      endChecks: checking.close,
    };
  },
  close: ({ endChecks }) => endChecks(),
});
