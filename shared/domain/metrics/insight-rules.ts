import { muxOf } from '../../science/topology/rules.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { Insights } from './model.ts';

/** Maximum number of insights in a response; more would hide the first ones. */
const MAX_INSIGHTS = 5;
/** Minimum number of targets with the same problem for an insight of its own. */
const MIN_TARGETS = 2;
/** The task that finds a qubit's transition frequency, and its output. */
const SEARCH = { task: 'CheckQubitSpectroscopy', output: 'coarse_qubit_frequency' } as const;

type Result = Pick<
  TaskResultDocument,
  'task_id' | 'name' | 'qid' | 'status' | 'message' | 'output_parameters'
>;
type Insight = Insights['insights'][number];

/** Insights from the newest results of a chip, the most widespread problem first, and the number of results without problems. */
export function insightsOf(newest: readonly Result[]): Omit<Insights, 'chip_id'> {
  const troubled = newest.filter(({ status }) => status === 'failed');
  const unseen = newest.filter(
    ({ name, status, output_parameters }) =>
      name === SEARCH.task &&
      (status === 'failed' || (status === 'completed' && !(SEARCH.output in output_parameters))),
  );
  const byMux = grouped(unseen, ({ qid }) => String(muxOf(Number(qid))));
  const byTask = grouped(troubled, ({ name }) => name);
  const insights = [
    ...byMux.map(([mux, results]) =>
      insightFrom(results, {
        kind: 'missing_f01',
        severity: 'critical',
        task_name: SEARCH.task,
        title: `No transition found on ${results.length} qubits of multiplexer ${mux}`,
        detail: 'Qubits that share a readout line fail together: look at the line before the qubits.',
      }),
    ),
    ...byTask.map(([task, results]) =>
      insightFrom(results, {
        kind: 'repeated_failure',
        severity: 'warning',
        task_name: task,
        title: `${task} failed on ${results.length} targets`,
        detail: mostCommon(results.map(({ message }) => message)),
      }),
    ),
  ];
  const ranked = insights
    .filter(({ qids }) => qids.length >= MIN_TARGETS)
    .sort((a, b) => rank(a) - rank(b) || b.qids.length - a.qids.length || (a.title < b.title ? -1 : 1));
  const shown = ranked.slice(0, MAX_INSIGHTS);
  const passed = newest.filter(({ status }) => status === 'completed').length;
  return { summary: summaryOf(shown, passed), insights: shown, suppressed_pass_count: passed };
}

function summaryOf(insights: readonly Insight[], passed: number): string {
  const fine = `${passed} ${passed === 1 ? 'result is' : 'results are'} fine`;
  if (insights.length === 0) return `Nothing needs attention; ${fine}.`;
  const critical = insights.filter(({ severity }) => severity === 'critical').length;
  const findings = insights.length === 1 ? '1 finding needs' : `${insights.length} findings need`;
  return `${findings} attention, ${critical} of them critical; ${fine}.`;
}

const rank = ({ severity }: Insight) => (severity === 'critical' ? 0 : 1);

function grouped(results: readonly Result[], keyOf: (result: Result) => string): [string, Result[]][] {
  const groups = new Map<string, Result[]>();
  for (const result of results) groups.set(keyOf(result), [...(groups.get(keyOf(result)) ?? []), result]);
  return [...groups];
}

function insightFrom(results: readonly Result[], about: Omit<Insight, 'qids' | 'task_ids'>): Insight {
  const inOrder = [...results].sort((a, b) => a.qid.localeCompare(b.qid, 'en', { numeric: true }));
  return { ...about, qids: inOrder.map(({ qid }) => qid), task_ids: inOrder.map(({ task_id }) => task_id) };
}

function mostCommon(messages: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const message of messages) counts.set(message, (counts.get(message) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}
