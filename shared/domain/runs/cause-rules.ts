/** Why most of the tasks failed that did, and how many of them. */
export interface CommonestCause {
  sentence: string;
  count: number;
}

/** Characters of a cause: it travels in payloads and in messages. */
const SENTENCE_LIMIT = 300;

/**
 * Why most of the given tasks failed: the task and the message of one of them; null when none failed. Messages that
 * differ in numbers only, such as the quality of a fit, are one cause. Of causes that are as common the first counts.
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

/** How a run's message and the operators' view say it. */
export function causeSentence({ sentence, count }: CommonestCause): string {
  return `Most often, ${count === 1 ? 'once' : `${count} times`}: ${sentence}`;
}
