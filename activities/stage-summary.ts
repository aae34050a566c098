import type {
  FlowCommandDocument,
  StageMetrics,
  StageSummary,
  TaskYield,
} from '../shared/domain/executions/model.ts';
import { jsonBytes } from '../shared/domain/flows/answer-rules.ts';
import type { StageRow } from '../shared/domain/results/index.ts';
import { isTaskEnd } from '../shared/domain/results/status-rules.ts';
import { type CommonestCause, createCauseTally } from '../shared/domain/runs/cause-rules.ts';

/** Maximum number of values in a stage's summary: at most 4 MB of its document. */
const METRIC_LIMIT = 50_000;
/** Bytes of the failures that are listed in a stage's summary; the others are only counted. */
const FAILURES_BYTES = 1024 * 1024;

/**
 * Counts, yield of each task, passed and failed targets, and the last value of each output per target. A target passes if
 * each of its tasks completed. A refused result is allowed for a task after which the target continues anyway, if another
 * task has found something. What it keeps in memory and stores is limited, whatever the number of rows.
 */
export async function summaryOf(
  plan: Pick<FlowCommandDocument, 'tasks' | 'targets'>,
  rows: AsyncIterable<StageRow>,
): Promise<{ summary: StageSummary; cause: CommonestCause | null }> {
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0 };
  const yields = plan.tasks.map(
    ({ name }): TaskYield => ({ task: name, completed: 0, failed: 0, skipped: 0, cancelled: 0, yield: null }),
  );
  const completed = new Map<string, number>();
  const gone = new Map<string, number>();
  const found = new Set<string>();
  const failed: StageSummary['failed'] = [];
  const causes = createCauseTally();
  let room = FAILURES_BYTES;
  const metrics: StageMetrics = {};
  let values = 0;
  let truncated = false;
  for await (const row of rows) {
    const { qid, status } = row;
    if (!isTaskEnd(status)) continue;
    counts[status] += 1;
    const ofTask = yields[row.index];
    if (ofTask) ofTask[status] += 1;
    if (status === 'failed') {
      const failure = { target: qid, task: row.name, message: row.message };
      causes.add(failure);
      if (room > 0) room -= jsonBytes(failure);
      if (room > 0) failed.push(failure);
    }
    if (status === 'completed' || row.goes_on) gone.set(qid, (gone.get(qid) ?? 0) + 1);
    if (status !== 'completed') continue;
    completed.set(qid, (completed.get(qid) ?? 0) + 1);
    if (Object.keys(row.output_parameters).length > 0) found.add(qid);
    for (const [name, { value, error = null, unit }] of Object.entries(row.output_parameters)) {
      if (typeof value !== 'number') continue;
      const metric = metrics[name] ?? { unit, values: {} };
      if (!(qid in metric.values)) values += 1;
      truncated ||= values > METRIC_LIMIT;
      if (truncated) break;
      metric.values[qid] = { value, error };
      metrics[name] = metric;
    }
  }
  for (const each of yields) {
    const measured = each.completed + each.failed;
    if (measured > 0) each.yield = each.completed / measured;
  }
  const summary = {
    counts: { ...counts, total: plan.targets.length * plan.tasks.length },
    // If all informative results were refused, a further stage has nothing to build on.
    passed: plan.targets.filter(
      (target) =>
        completed.get(target) === plan.tasks.length ||
        (gone.get(target) === plan.tasks.length && found.has(target)),
    ),
    failed,
    yields,
    metrics,
    metrics_truncated: truncated,
  };
  return { summary, cause: causes.commonest() };
}
