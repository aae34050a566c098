import { textOf } from '../search-text.ts';

/** What the list of results shows, as the address of the page says. */
export interface ResultsSearch {
  task?: string | undefined;
  target?: string | undefined;
  state?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  skip?: number | undefined;
}

export function resultsSearch(search: Record<string, unknown>): ResultsSearch {
  return {
    task: textOf(search['task']),
    target: textOf(search['target']),
    state: textOf(search['state']),
    from: textOf(search['from']),
    to: textOf(search['to']),
    skip: Number(search['skip']) || undefined,
  };
}
