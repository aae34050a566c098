import type { TaskResultDocument } from '../../../../shared/domain/results/model.ts';

/** A result without what a review writes: itself, and the marks of a change in what is shown. */
export function withoutReview(result: TaskResultDocument | null): Partial<TaskResultDocument> {
  const {
    ai_review: _review,
    ai_review_note: _text,
    revision: _count,
    changed_at: _time,
    ...rest
  } = result ?? {};
  return rest;
}
