import type { StageAnswer, StageFailure } from '../../../shared/domain/flows/model.ts';
import type { TaskCounts } from '../../../shared/domain/results/model.ts';

/** What `await session.run(…)` gives: `StageSummary` of calibron.d.ts. */
export interface StageSummary {
  name: string;
  status: StageAnswer['status'];
  counts: TaskCounts;
  passed: string[];
  failed: string[];
  failures: StageFailure[];
  truncated: boolean;
}

/** `targets` tell who failed, also where the answer's own list was cut. */
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

/** A stage without targets. */
export function skippedStage(name: string): StageSummary {
  const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, total: 0 };
  return { name, status: 'skipped', counts, passed: [], failed: [], failures: [], truncated: false };
}
