import { textOf } from '../search-text.ts';

/** What is compared, as the address of the page says: two executions or two days, each by its id or date. */
export interface CompareSearch {
  of?: 'executions' | 'days' | undefined;
  before?: string | undefined;
  after?: string | undefined;
  parameter?: string | undefined;
  target?: string | undefined;
}

export function compareSearch(search: Record<string, unknown>): CompareSearch {
  return {
    of: search['of'] === 'days' ? 'days' : search['of'] === 'executions' ? 'executions' : undefined,
    before: textOf(search['before']),
    after: textOf(search['after']),
    parameter: textOf(search['parameter']),
    target: textOf(search['target']),
  };
}
