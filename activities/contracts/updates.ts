import type { Installation, UpdateMark, UpdatePlan } from '../../shared/domain/system-updates/model.ts';
import type { InstallationLookInput } from '../../shared/domain/system-updates/workflow-model.ts';

/** A step of an update. Its name is its key: a completed step is not repeated. */
export interface UpdateStep {
  operation_id: string;
  name: string;
  plan: UpdatePlan;
}

/** Activities of queue `system`, which the updater serves. Types only. */
export interface UpdateActivities {
  lookAtInstallation(input: InstallationLookInput): Promise<Installation>;
  planUpdate(input: { operation_id: string; expected_target: string }): Promise<{
    plan: UpdatePlan;
    /** Whether a command is configured that stops the services. */
    stops: boolean;
    /** Seconds after which the engine times out a command, or the health check of the new version. */
    command_seconds: number;
    health_seconds: number;
  }>;
  noteUpdate(input: { operation_id: string; mark: UpdateMark }): Promise<void>;
  runUpdateCommand(input: { step: UpdateStep; command: 'stop' | 'deploy' }): Promise<void>;
  moveWorkingTree(input: { step: UpdateStep; direction: 'forward' | 'back' }): Promise<void>;
  checkHealth(input: { step: UpdateStep }): Promise<void>;
  concludeUpdate(input: { operation_id: string; mark: UpdateMark }): Promise<void>;
}
