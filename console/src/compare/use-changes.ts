import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, dataOf, type ExecutionSummary, type Metrics } from '../api.ts';
import { isOver } from '../run/run-state.ts';
import { useProjectId } from '../session.tsx';
import { dayAt, dayOf, momentsOf } from '../ui/day-field.tsx';
import { type Change, changesOfDays, changesOfExecutions } from './changes.ts';
import type { CompareSearch } from './compare-search.ts';

/** Number of executions to choose from. */
const LISTED = 100;

interface Pair {
  of: 'executions' | 'days';
  before: string;
  after: string;
}

/** The two sides of the comparison. A side that the address of the page does not name comes from the newest pair. */
export function useSides(chipId: string | undefined, search: CompareSearch) {
  const projectId = useProjectId();
  const executions = useQuery({
    queryKey: ['executions', projectId, chipId, 'to compare'],
    queryFn: async () =>
      (
        await dataOf(api.GET('/executions', { params: { query: { chip_id: chipId ?? '', limit: LISTED } } }))
      ).executions.filter(({ status }) => isOver(status)),
    enabled: chipId !== undefined,
  });
  const of = search.of ?? 'executions';
  const ended: readonly ExecutionSummary[] = executions.data ?? [];
  const data = of === 'days' ? daysOf(search, ended) : pairOf(search, ended);
  return {
    of,
    ended,
    before: search.before ?? data?.before,
    after: search.after ?? data?.after,
    data,
    error: executions.error,
    isPending: executions.isPending,
  };
}

function pairOf(search: CompareSearch, ended: readonly ExecutionSummary[]): Pair | null {
  const after = search.after ?? ended[0]?.execution_id;
  const before =
    search.before ?? ended[ended.findIndex(({ execution_id }) => execution_id === after) + 1]?.execution_id;
  return before === undefined || after === undefined ? null : { of: 'executions', before, after };
}

function daysOf(search: CompareSearch, ended: readonly ExecutionSummary[]): Pair | null {
  const days = [...new Set(ended.flatMap(({ start_at }) => (start_at ? [dayAt(start_at)] : [])))];
  const after = dayOf(search.after) ?? days[0];
  const before = dayOf(search.before) ?? days.find((day) => after !== undefined && day < after) ?? after;
  return before === undefined || after === undefined ? null : { of: 'days', before, after };
}

/** What changed between the two sides, the largest changes first. */
export function useChanges(chipId: string | undefined, pair: Pair | null, metrics: Metrics | undefined) {
  const projectId = useProjectId();
  const found = useQuery({
    queryKey: ['comparison', projectId, chipId, pair],
    queryFn: () => (pair ? comparisonOf(chipId ?? '', pair) : null),
    enabled: chipId !== undefined && pair !== null,
  });
  const data = useMemo((): Change[] | undefined => {
    if (!found.data || !metrics) return undefined;
    return found.data.of === 'executions'
      ? changesOfExecutions(found.data.comparison, metrics)
      : changesOfDays(found.data.before, found.data.after, metrics);
  }, [found.data, metrics]);
  return { data, error: found.error };
}

async function comparisonOf(chipId: string, { of, before, after }: Pair) {
  if (of === 'executions') {
    const comparison = await dataOf(
      api.GET('/provenance/compare', {
        params: { query: { execution_id_before: before, execution_id_after: after } },
      }),
    );
    return { of, comparison };
  }
  const ofDay = (day: string) => {
    const { from, to } = momentsOf(day);
    return dataOf(
      api.GET('/metrics/chips/{chip_id}/metrics', {
        params: { path: { chip_id: chipId }, query: { start_at: from, end_at: to } },
      }),
    );
  };
  const [earlier, later] = await Promise.all([ofDay(before), ofDay(after)]);
  return { of, before: earlier, after: later };
}
