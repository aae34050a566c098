/** Limits for answers of backends. Pure: workflows import this file. */

/** Bytes of JSON; a larger answer fails the task. */
export const RESULT_LIMIT = 64 * 1024;

/** A data file up to this many bytes is analysed, in a thread with limited memory. A larger one is only kept. */
export const ANALYSIS_FILE_LIMIT = 64 * 1024 * 1024;

/** Error message for an answer that is too large; null if it is not. @param size bytes of its JSON */
export function oversizeProblem(size: number): string | null {
  return size > RESULT_LIMIT
    ? `The backend's answer has ${size} bytes; at most ${RESULT_LIMIT} are allowed. Larger data goes to dataset_path.`
    : null;
}

const MESSAGE_LIMIT = 2000;

/** Message of a task whose backend reported an error. */
export function backendErrorMessage(message: string): string {
  const text = message.slice(0, MESSAGE_LIMIT);
  return text.startsWith('The backend') ? text : `The backend reported an error: ${text}`;
}

/** Message of a task whose backend did not answer before the deadline. */
export const TIME_LIMIT_MESSAGE = 'The measurement exceeded its time limit.';
