import type { NoteScope, NoteSubject, NoteTarget } from './model.ts';

/** Scope reported for a request without one if the note is on the target itself. */
export const GLOBAL = { scope_key: 'global', scope_type: 'global', cooldown_id: '' };

/** Subject of a note: a target (`metric` null) or one of its metrics. */
export interface TargetSubject {
  target: NoteTarget;
  metric: string | null;
}

/** What an event says about the scope of a note. */
export const extraOf = ({ scope_key, scope_type, cooldown_id }: NoteScope) => ({
  scope_key,
  scope_type,
  cooldown_id: cooldown_id ?? '',
});

/** The subject of a note as it is stored. */
export const subjectOf = ({ target: { kind, qid }, metric }: TargetSubject): NoteSubject =>
  metric === null
    ? { subject: 'target', target_type: kind, target_id: qid, metric_key: '' }
    : { subject: 'metric', target_type: kind, target_id: qid, metric_key: metric };
