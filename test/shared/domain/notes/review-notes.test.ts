import { expect, test } from 'vitest';
import { noNote, splitReview } from '../../../../shared/domain/notes/wire.ts';

const note = (content: string) => ({ content, updated_by: 'ann', updated_at: '2026-01-01T00:00:00.000Z' });

test('a note without the heading of a review is a note', () => {
  expect(splitReview(note('I saw an AI review.'))).toEqual({
    note: note('I saw an AI review.'),
    ai_review_note: noNote,
  });
});

test('a review ends at a line of dashes, and the note is below it', () => {
  const given = note('## AI Review\nLooks good.\n---\nI agree.\n---\nStill.');
  expect(splitReview(given)).toEqual({
    ai_review_note: note('## AI Review\nLooks good.'),
    note: note('I agree.\n---\nStill.'),
  });
});

test('a triage without dashes is a review alone', () => {
  expect(splitReview(note('# AI triage: bad'))).toEqual({
    ai_review_note: note('# AI triage: bad'),
    note: noNote,
  });
});
