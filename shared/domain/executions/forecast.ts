import { isDeepStrictEqual } from 'node:util';
import { taskEnds } from '../results/status-rules.ts';
import { type EarlierRun, type Expectation, expectationOf, expectedSeconds } from './forecast-rules.ts';
import type { ExecutionDocument, ExecutionRequestDocument } from './model.ts';
import { spansOfWaits } from './spent-time.ts';
import type { ExecutionStore, ExecutionWithTimes } from './store.ts';
import type { ExecutionForecast } from './time-model.ts';
import { partsOfTime } from './time-rules.ts';

const MS_PER_SECOND = 1000;
/** Completed runs of the same name among which those of the same request are looked for. */
const LOOKED_AT = 30;
/** Runs that a forecast is based on: the newest ones. */
const COUNTED = 5;

/** Seconds of a run from its start to its end, or to now, that no wait claims. */
function workedSeconds(execution: ExecutionWithTimes, now: Date): number {
  const { created_at, start_at, end_at } = execution;
  const whole = { from: start_at ?? created_at, to: end_at ?? now };
  const { idle, unused } = partsOfTime(whole, spansOfWaits(execution));
  return (idle + unused) / MS_PER_SECOND;
}

/** What decides how long a run takes. */
function kindOf(request: ExecutionRequestDocument) {
  const { flow, parameters, default_run_parameters, task, targets, earlier } = request;
  const measured = task && { name: task.name, overrides: task.run_overrides };
  return { flow: flow?.name, parameters, default_run_parameters, measured, targets, earlier };
}

function tasksOf({ note }: Pick<ExecutionDocument, 'note'>): number {
  const counts = Object.values(note.stages ?? {}).flatMap((stage) => taskEnds.map((end) => stage[end] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Expectation for a run, with the earlier runs that it is based on. */
export interface ExpectationOfRun extends Expectation {
  earlierRuns: string[];
}

/** Forecasts of runs from earlier runs of the same request. */
export function createForecasts({
  executions,
  settledTasks,
}: {
  executions: ExecutionStore;
  /** Number of the tasks of an execution that have ended. */
  settledTasks(execution: ExecutionDocument): Promise<number>;
}) {
  /** Null without an earlier run of the same request. It does not change during the run. */
  async function expectation(execution: ExecutionDocument): Promise<ExpectationOfRun | null> {
    const { project_id, execution_id } = execution;
    const found = await executions.completedBefore(execution, LOOKED_AT);
    const requests = await executions.requests(project_id, [
      execution_id,
      ...found.map((each) => each.execution_id),
    ]);
    const kinds = new Map(requests.map((request) => [request.execution_id, kindOf(request)]));
    const own = kinds.get(execution_id);
    const earlier = found
      .filter((each) => own !== undefined && isDeepStrictEqual(kinds.get(each.execution_id), own))
      .slice(0, COUNTED);
    const runs = earlier.map(
      (each): EarlierRun => ({ seconds: workedSeconds(each, new Date()), tasks: tasksOf(each) }),
    );
    const expected = expectationOf(runs);
    return expected && { ...expected, earlierRuns: earlier.map((each) => each.execution_id) };
  }

  /** Seconds that an open run is expected to work in all, and when it ends then; null when it is paused or has ended. */
  function forecast(
    execution: ExecutionDocument,
    expected: Expectation,
    { tasks, now }: { tasks: number; now: Date },
  ): { seconds: number; end: Date | null } {
    const worked = workedSeconds(execution, now);
    if (execution.end_at) return { seconds: worked, end: null };
    const seconds = expectedSeconds(expected, { seconds: worked, tasks });
    const end = new Date(now.getTime() + MS_PER_SECOND * (seconds - worked));
    return { seconds, end: execution.paused ? null : end };
  }

  return {
    expectation,
    forecast,

    /** The expected duration of an execution, from earlier runs of the same request. */
    async forecastOf(execution: ExecutionDocument, now: Date): Promise<ExecutionForecast> {
      const [expected, tasks] = await Promise.all([expectation(execution), settledTasks(execution)]);
      const forecasted = expected && forecast(execution, expected, { tasks, now });
      return {
        execution_id: execution.execution_id,
        is_open: execution.end_at === null,
        worked_seconds: workedSeconds(execution, now),
        expected_seconds: forecasted?.seconds ?? null,
        estimated_end: forecasted?.end?.toISOString() ?? null,
        earlier_runs: expected?.earlierRuns ?? [],
        settled_tasks: tasks,
        expected_tasks: expected?.tasks ?? null,
      };
    },
  };
}
