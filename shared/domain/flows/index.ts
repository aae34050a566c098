import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Share } from '../../kernel/fair-queue.ts';
import { projectIdSchema } from '../../kernel/ids.ts';
import { taskNames } from '../../tasks/catalog.ts';
import type { Backends } from '../backends/index.ts';
import { createFlowChecking } from './checking.ts';
import type { FlowProblem } from './problem-model.ts';
import type { FlowSettings } from './settings.ts';
import { createFlowStore, flowIndexes } from './store.ts';
import { listHelpers, listTemplates, readHelper, readTemplate } from './templates.ts';
import { createFlowVersions } from './versions.ts';

export type Flows = ReturnType<typeof flows.create>;

/** Flows written by labs, with their templates and helpers. */
export const flows = defineArea({
  name: 'flows',
  indexes: flowIndexes,
  create: ({ db, settings, backends }: Kernel<FlowSettings> & { backends: Pick<Backends, 'tasksOf'> }) => {
    const checking = createFlowChecking(async ({ project }) =>
      project === undefined ? taskNames() : (await backends.tasksOf(projectIdSchema.parse(project))).names(),
    );
    const { versionStore, withCode, ...store } = createFlowStore(db, settings, checking);
    return {
      ...store,
      versions: createFlowVersions({ versionStore, withCode, save: store.save }),
      /** Problems of a flow as it would be saved; empty for a valid flow. @throws invalid_flow, too_many_requests */
      async check(share: Share, code: string, functionName: string): Promise<FlowProblem[]> {
        const checked = await checking.flow(share, code, functionName);
        return checked.ok ? [] : checked.problems;
      },
      /** The parameters of a run according to the flow's declaration, and their problems. */
      checkParameters: checking.parameters,
      templates: { list: listTemplates, read: readTemplate },
      /** Type declarations that flows are written against. */
      helpers: { list: listHelpers, read: readHelper },
      endChecks: checking.close,
    };
  },
  close: ({ endChecks }) => endChecks(),
});
