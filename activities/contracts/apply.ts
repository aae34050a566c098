import type { ApplyInput } from '../../shared/domain/agent-sessions/apply-model.ts';

/** Activities of queue `calibration` that apply an agent's commit to the backend's files. Types only. */
export interface ApplyActivities {
  beginApply(input: ApplyInput): Promise<void>;
  pullForApply(input: ApplyInput): Promise<void>;
  writeApply(input: ApplyInput): Promise<void>;
  versionApply(input: ApplyInput): Promise<void>;
  finishApply(input: ApplyInput): Promise<void>;
  failApply(input: ApplyInput & { reason: string }): Promise<void>;
}
