import { textOf } from '../search-text.ts';

const TABS = ['code', 'versions', 'run'] as const;

/** Which flow is open, or from which template a new one begins. */
export interface FlowsSearch {
  flow?: string | undefined;
  template?: string | undefined;
  tab?: (typeof TABS)[number] | undefined;
  version?: string | undefined;
}

export function flowsSearch(search: Record<string, unknown>): FlowsSearch {
  return {
    flow: textOf(search['flow']),
    template: textOf(search['template']),
    tab: TABS.find((each) => each === search['tab']),
    version: textOf(search['version']),
  };
}
