/** What an answer of a backend may weigh. Pure: workflows import this file. */

/** An answer beyond this many bytes of JSON fails the task. */
export const RESULT_LIMIT = 64 * 1024;

/** The sentence why an answer is too large; null for one that is not. @param size of its JSON */
export function oversizeProblem(size: number): string | null {
  return size > RESULT_LIMIT
    ? `The backend's answer has ${size} bytes; at most ${RESULT_LIMIT} are allowed. Larger data goes to dataset_path.`
    : null;
}
