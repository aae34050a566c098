/** What an answer of a backend may weigh. Pure: workflows import this file. */

/** An answer beyond this many bytes of JSON fails the task. */
export const RESULT_LIMIT = 64 * 1024;

/** The sentence why an answer is too large; null for one that is not. @param size of its JSON */
export function oversizeProblem(size: number): string | null {
  return size > RESULT_LIMIT
    ? `The backend's answer has ${size} bytes; at most ${RESULT_LIMIT} are allowed. Larger data goes to dataset_path.`
    : null;
}

const SENTENCE_LIMIT = 2000;

/** What a task says whose backend reported an error. */
export function backendErrorSentence(message: string): string {
  const text = message.slice(0, SENTENCE_LIMIT);
  return text.startsWith('The backend') ? text : `The backend reported an error: ${text}`;
}

/** What a task says whose backend did not answer in time. */
export const TIME_LIMIT_SENTENCE = 'The measurement exceeded its time limit.';
