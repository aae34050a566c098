import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { Installation, UpdateDocument, UpdateOperation, UpdateStatus } from './model.ts';
import { chooseUpdate, currentVersion, isActive, progressAt } from './rules.ts';

/** A stored update as administrators see it. */
export function operationOf(stored: UpdateDocument): UpdateOperation {
  return {
    operation_id: stored._id,
    state: stored.state,
    source_version: stored.source_version,
    target_version: stored.target_version,
    stage: stored.stage,
    message: stored.message,
    progress: progressAt(stored.stage),
    started_at: isoTime(stored.started_at),
    updated_at: isoTime(stored.updated_at),
    completed_at: isoTimeOrNull(stored.completed_at),
    log_tail: stored.log_tail,
  };
}

/** The state of an installation whose last update is `last`. */
export function statusOf(installation: Installation, last: UpdateDocument | null): UpdateStatus {
  const { plan, latest, reason } = chooseUpdate(installation);
  const running = last !== null && isActive(last.state);
  return {
    enabled: true,
    current_version: currentVersion(installation),
    current_commit: installation.commit,
    latest_version: latest,
    update_available: latest !== null,
    can_update: plan !== null && !running,
    dirty: installation.dirty,
    blocked_reason: running ? 'An update is running.' : reason,
    operation_id: last?._id ?? null,
    operation_state: last?.state ?? 'idle',
    checked_at: installation.checked_at,
  };
}

/** The state of an installation without an updater. */
export function disabledStatus(at: Date): UpdateStatus {
  return {
    enabled: false,
    current_version: 'unknown',
    current_commit: 'unknown',
    latest_version: null,
    update_available: false,
    can_update: false,
    dirty: false,
    blocked_reason: 'System updates are not configured: SYSTEM_UPDATES is off.',
    operation_id: null,
    operation_state: 'idle',
    checked_at: isoTime(at),
  };
}
