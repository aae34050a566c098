import type { Db } from 'mongodb';
import { createCalibrationStateStore } from './chips/calibration-state.ts';
import type { Settings } from './config.ts';
import { createExecutionCloser } from './executions/closing.ts';
import { createLockStore } from './executions/lock-store.ts';
import { createExecutionReader } from './executions/reading.ts';
import { createExecutionStarter } from './executions/starting.ts';
import { createStepStore } from './executions/step-store.ts';
import { createExecutionStore } from './executions/store.ts';
import { createProvenanceStore } from './provenance/store.ts';
import { createTaskResultStore } from './results/store.ts';
import type { Engine } from './temporal.ts';

export type CalibrationRecords = ReturnType<typeof createCalibrationRecords>;

/** Everything that API and workers share about runs and what they leave, over one store and one engine. */
export function createCalibrationRecords(dependencies: {
  db: Db;
  engine: Engine;
  settings: Settings;
  historyLimit?: number;
}) {
  const { db, engine, settings, historyLimit } = dependencies;
  const executions = createExecutionStore(db);
  const locks = createLockStore(db);
  const results = createTaskResultStore(db);
  const steps = createStepStore(db);
  const state = createCalibrationStateStore(db);
  const provenance = createProvenanceStore(db);
  const closer = createExecutionCloser({
    engine,
    settings,
    executions,
    locks,
    results,
    steps,
    state,
    provenance,
  });
  const starter = createExecutionStarter({ db, engine, settings, executions, historyLimit });
  const reader = createExecutionReader({ engine, executions, results, closer, starter });
  return { executions, locks, results, steps, state, provenance, closer, starter, reader };
}
