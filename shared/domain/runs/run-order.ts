import type { ProjectId } from '../../kernel/ids.ts';
import type { SharingAccount } from '../../kernel/sharing-accounts.ts';
import type { ExecutionRequestDocument } from '../executions/model.ts';
import type { RunIdentity } from './run-model.ts';

/** Who requests a run, and in which project. */
export interface RunOrder {
  projectId: ProjectId;
  user: SharingAccount & { username: string };
  /** From the header `Idempotency-Key`: the same key with the same request returns the first answer. */
  idempotencyKey: string | undefined;
  /** What starts the run on the user's behalf; by default, the user. */
  trigger?: RunIdentity['trigger'];
  /** While a run with a lower priority holds the project and allows it, this one uses the chip in between. Default 0. */
  priority?: number | undefined;
  /** Whether runs with a higher priority may use the chip between the measurements of this one. */
  allowPreemption?: boolean | undefined;
  /** Throws when no new run may be started. A run that its key has already started is still returned. */
  assertAllowed?: () => Promise<void>;
}

/** A run that has passed its checks: flow, chip, backend and task exist. */
export interface CheckedRun {
  run: Pick<RunIdentity, 'chip_id' | 'name' | 'backend' | 'tags'>;
  request: Omit<ExecutionRequestDocument, '_id' | 'project_id' | 'execution_id' | 'created_at'>;
}
