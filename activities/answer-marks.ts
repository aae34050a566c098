import { newId } from '../shared/kernel/ids.ts';
import type { AnswerMark } from './contract.ts';

/** Tells this process from others, and from the one that had its number before. */
const PROCESS = newId();

/** The mark of an answer that is about to be given. */
export function markAnswer(): AnswerMark {
  return { process: PROCESS, at: performance.now() };
}

/** When this process had not given an answer yet, by `performance.now()`; undefined for answers of others. */
export function timeOfAnswer(mark: AnswerMark | undefined): number | undefined {
  return mark?.process === PROCESS ? mark.at : undefined;
}
