import type { Db } from 'mongodb';
import type { Engine } from '../kernel/engine/temporal.ts';
import { createUserStore } from './accounts/store.ts';
import { createApprovals } from './approvals/index.ts';
import { createCalibrationStateStore } from './chips/calibration-state.ts';
import { createExecutions } from './executions/index.ts';
import { createBelongings } from './projects/belongings.ts';
import { createProjectDeletion } from './projects/deletion.ts';
import { createMembershipStore } from './projects/membership-store.ts';
import { createProjectStore } from './projects/store.ts';
import { createProvenanceStore } from './provenance/store.ts';
import { createTaskResultStore } from './results/index.ts';
import { createRuns, type RunsDependencies } from './runs/index.ts';

export type CalibrationRecords = ReturnType<typeof createCalibrationRecords>;

/** Everything that API and workers share about runs and what they leave, over one store and one engine. */
export function createCalibrationRecords(
  dependencies: Pick<RunsDependencies, 'db' | 'engine' | 'settings' | 'flows' | 'chips' | 'backends'>,
) {
  const { db, engine } = dependencies;
  const results = createTaskResultStore(db);
  const records = {
    results,
    ...createExecutions({ db, results }),
    state: createCalibrationStateStore(db),
    provenance: createProvenanceStore(db),
    approvals: createApprovals({ db, engine }),
  };
  return { ...records, runs: createRuns({ ...dependencies, ...records }) };
}

/** Everything that API and workers share about accounts, projects and how they are deleted. */
export function createAccountRecords(dependencies: {
  db: Db;
  engine: Engine;
  holderOf(projectId: string): Promise<{ execution_id: string } | null>;
}) {
  const { db, engine, holderOf } = dependencies;
  const users = createUserStore(db);
  const projects = createProjectStore(db);
  const memberships = createMembershipStore(db);
  /** Takes a project from everybody's view. */
  const hide = async (projectId: string) => {
    await projects.remove(projectId);
    await users.clearDefaultProject(projectId);
  };
  const deletion = createProjectDeletion({ db, engine, holderOf, hide });
  const belongings = createBelongings({ projects, memberships, deletion });
  return { users, projects, memberships, deletion, hide, belongings };
}
