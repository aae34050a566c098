/** Flows: their language, saved flows with every version of their code, and the shipped templates. */
import type { Settings } from '../../kernel/config.ts';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { taskNames } from '../../tasks/catalog.ts';
import { createFlowStore, flowIndexes } from './store.ts';

export type { FlowStore } from './store.ts';
export { listHelpers, listTemplates, readHelper, readTemplate } from './templates.ts';

export const indexes: readonly CollectionIndexes[] = flowIndexes;

/** The saved flows, which may name the tasks of the catalog. */
export function createFlows({ db, settings }: { db: Db; settings: Pick<Settings, 'DATA_DIR'> }) {
  return createFlowStore(db, settings.DATA_DIR, taskNames);
}
