/** Files that take longest, most of it waiting for processes that they start, stop and cut off: begun before all others. */
export const LONGEST = [
  'test/scripts/start/start.test.ts',
  'test/workers/cut-off-worker.test.ts',
  'test/workers/worker-stop.test.ts',
  'test/scripts/start/demo.test.ts',
  'test/workers/worker-death.test.ts',
  'test/docs/backend-worker.test.ts',
  'test/workflows/replay.test.ts',
  'test/shared/domain/runs/run-control.test.ts',
  'test/shared/domain/flows/templates-on-chips.test.ts',
  'test/shared/domain/runs/engine-restart.test.ts',
  'test/activities/lost-acknowledgement.test.ts',
  'test/activities/backends/simulator/simulator-controls.test.ts',
  'test/shared/domain/runs/store-away.test.ts',
  'test/shared/domain/runs/quiet-chip.test.ts',
  'test/shared/domain/runs/killed-in-turn.test.ts',
  'test/activities/backends/bad-backends.test.ts',
];
