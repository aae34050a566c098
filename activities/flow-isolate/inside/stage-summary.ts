import type { StageAnswer, StageFailure } from '../../../shared/domain/flows/model.ts';
import type { TaskCounts } from '../../../shared/domain/results/model.ts';

/** Result of `await session.run(…)`: `StageSummary` of calibron.d.ts. */
export interface StageSummary {
  name: string;
  status: StageAnswer['status'];
  counts: TaskCounts;
  passed: string[];
  failed: string[];
  failures: StageFailure[];
  truncated: boolean;
}

/** @param targets used to find all failed targets, even if the list in the answer was truncated */
export function stageSummary(answer: StageAnswer, targets: string[]): StageSummary {
  const passed = new Set(answer.passed);
  return {
    name: answer.name,
    status: answer.status,
    counts: answer.counts,
    passed: [...answer.passed],
    failed: targets.filter((id) => !passed.has(id)),
    failures: answer.failed,
    truncated: answer.truncated === true,
  };
}

/** Summary of a stage without targets. */
export function skippedStage(name: string): StageSummary {
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, total: 0 };
  return { name, status: 'skipped', counts, passed: [], failed: [], failures: [], truncated: false };
}
