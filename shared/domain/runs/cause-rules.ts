/** The most frequent cause of failure, and how many tasks it affected. */
export interface CommonestCause {
  sentence: string;
  count: number;
}

/** Maximum length of a cause in characters, because it travels in payloads and messages. */
const SENTENCE_LIMIT = 300;

/**
 * The most frequent cause among the failed tasks, as task and message of one of them; null when none failed. Messages that differ
 * only in numbers, such as the quality of a fit, count as one cause. In a tie, the first cause wins.
 */
export function commonestCause(failed: readonly { task: string; message: string }[]): CommonestCause | null {
  const causes = new Map<string, { sentence: string; count: number }>();
  for (const { task, message } of failed) {
    const key = `${task} ${message.replaceAll(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi, '#')}`;
    const cause = causes.get(key);
    if (cause) cause.count += 1;
    else causes.set(key, { sentence: `${task}: ${message}`.slice(0, SENTENCE_LIMIT), count: 1 });
  }
  const [first, ...rest] = causes.values();
  return first ? rest.reduce((most, each) => (each.count > most.count ? each : most), first) : null;
}

/** The cause as shown in a run's message and in the operators' view. */
export function causeSentence({ sentence, count }: CommonestCause): string {
  return `Most often, ${count === 1 ? 'once' : `${count} times`}: ${sentence}`;
}
