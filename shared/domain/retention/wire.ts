import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { Retention, RetentionDocument } from './model.ts';

/** The rule of a project as the API shows it; without limits if none was set. */
export function retentionOf(stored: RetentionDocument | null): Retention {
  if (!stored) {
    return {
      max_age_days: null,
      max_gib: null,
      updated_by: null,
      updated_at: null,
      last_round_at: null,
      last_outcome: null,
    };
  }
  const { max_age_days, max_gib, updated_by, updated_at, last_round_at, last_outcome } = stored;
  return {
    max_age_days,
    max_gib,
    updated_by,
    updated_at: isoTime(updated_at),
    last_round_at: isoTimeOrNull(last_round_at),
    last_outcome,
  };
}
