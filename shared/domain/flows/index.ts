import { defineArea, type Kernel } from '../../kernel/area.ts';
import { taskNames } from '../../tasks/catalog.ts';
import { createFlowChecking } from './checking.ts';
import { createFlowStore, flowIndexes } from './store.ts';
import { listHelpers, listTemplates, readHelper, readTemplate } from './templates.ts';

export type Flows = ReturnType<typeof flows.create>;

/** Flows that labs write, and what they are written from. */
export const flows = defineArea({
  name: 'flows',
  indexes: flowIndexes,
  create: ({ db, settings }: Kernel) => {
    const checking = createFlowChecking(taskNames);
    return {
      ...createFlowStore(db, settings, checking),
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
