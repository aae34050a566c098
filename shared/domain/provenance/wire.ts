import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { ActivityDocument, EntityDocument, ParameterVersion, ProvenanceActivity } from './model.ts';

/** The stored version as clients see it. */
export function versionOf({
  _id,
  error,
  valid_from,
  valid_until,
  previous,
  ...rest
}: EntityDocument): ParameterVersion {
  return {
    ...rest,
    error: error ?? 0,
    valid_from: isoTime(valid_from),
    valid_until: isoTimeOrNull(valid_until),
  };
}

/** The stored activity as clients see it. */
export function activityOf({
  _id,
  agent,
  used,
  started_at,
  ended_at,
  ...rest
}: ActivityDocument): ProvenanceActivity {
  return { ...rest, started_at: isoTimeOrNull(started_at), ended_at: isoTimeOrNull(ended_at) };
}
