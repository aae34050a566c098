import type { Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Approvals } from '../approvals/index.ts';
import type { BackendWorkers } from '../backend-workers/index.ts';
import type { Backends } from '../backends/index.ts';
import type { MeasuringSettings } from '../backends/settings.ts';
import type { Chips } from '../chips/index.ts';
import type { DiskSpaceOfInstallation } from '../disk-space/index.ts';
import type { Executions } from '../executions/index.ts';
import type { Flows } from '../flows/index.ts';
import type { Menus } from '../menus/index.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { UpdateGate } from '../update-gate/index.ts';
import type { RunSettings } from './settings.ts';

/** Dependencies of runs. */
export interface RunNeeds extends Kernel<RunSettings & MeasuringSettings> {
  accounts: Pick<Accounts, 'users'>;
  executions: Executions;
  results: TaskResultStore;
  chips: Chips;
  provenance: ProvenanceStore;
  approvals: Pick<Approvals, 'withdraw'>;
  flows: Pick<Flows, 'get' | 'noSuchFlow' | 'pin' | 'checkParameters'>;
  menus: Pick<Menus, 'parametersOfRun'>;
  backends: Pick<Backends, 'offers' | 'tasksOf'>;
  backendWorkers: Pick<BackendWorkers, 'assertWorker'>;
  updateGate: UpdateGate;
  diskSpace: DiskSpaceOfInstallation;
}
