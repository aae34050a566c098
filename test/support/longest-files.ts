/**
 * Files that start hundreds of programs, git above all: begun first, while their processes are small. To start a program
 * costs a process of 900 MB, as it is in the end, four times as much.
 */
const OF_MANY_PROGRAMS = [
  'test/api/configuration-repository.test.ts',
  'test/activities/system-update/working-tree.test.ts',
  'test/workflows/candidate-apply.test.ts',
  'test/scripts/examples/agent.test.ts',
];

/** Files that take longest, most of it waiting for processes that they start, stop and cut off: begun before all others. */
export const LONGEST = [
  ...OF_MANY_PROGRAMS,
  'test/scripts/backup/backup.test.ts',
  'test/scripts/start/start.test.ts',
  'test/api/lost-answers.test.ts',
  'test/workflows/system-update.test.ts',
  'test/workers/cut-off-worker.test.ts',
  'test/workers/worker-stop.test.ts',
  'test/scripts/start/demo.test.ts',
  'test/workers/worker-death.test.ts',
  'test/docs/backend-worker.test.ts',
  'test/scripts/bench.test.ts',
  'test/workflows/replay.test.ts',
  'test/shared/domain/ai-reviews/review-batches.test.ts',
  'test/shared/domain/ai-reviews/review-crashes.test.ts',
  'test/shared/domain/runs/run-control.test.ts',
  'test/shared/domain/flows/templates-on-chips.test.ts',
  'test/shared/domain/runs/engine-restart.test.ts',
  'test/activities/lost-acknowledgement.test.ts',
  'test/activities/backends/simulator/simulator-controls.test.ts',
  'test/shared/domain/runs/store-away.test.ts',
  'test/shared/domain/runs/quiet-chip.test.ts',
  'test/shared/domain/runs/kills.test.ts',
  'test/activities/backends/bad-backends.test.ts',
  'test/workers/versions.test.ts',
  'test/api/main.test.ts',
  'test/workers/record-keeper-death.test.ts',
  'test/shared/domain/runs/stuck-runs.test.ts',
  'test/activities/due-schedules.test.ts',
  'test/api/permission-matrix.test.ts',
  'test/workers/main.test.ts',
  'test/shared/domain/runs/terminate-and-reset.test.ts',
];
