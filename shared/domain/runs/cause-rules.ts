/** The most frequent cause of failure, and how many tasks it affected. */
export interface CommonestCause {
  message: string;
  count: number;
}

/** Maximum length of a cause in characters, because it travels in payloads and messages. */
const MESSAGE_LIMIT = 300;

/** Number of different causes that are counted. */
const CAUSES_LIMIT = 1000;

/**
 * Counts causes of failed tasks, to name the most frequent one by task and message. Messages that differ only in numbers, such as
 * the quality of a fit, count as one cause. In a tie, the first cause wins. Beyond a thousand causes, new ones are not counted.
 */
export function createCauseTally() {
  const causes = new Map<string, CommonestCause>();
  return {
    add({ task, message }: { task: string; message: string }): void {
      const key = `${task} ${message.replaceAll(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi, '#')}`;
      const cause = causes.get(key);
      if (cause) cause.count += 1;
      else if (causes.size < CAUSES_LIMIT) {
        causes.set(key, { message: `${task}: ${message}`.slice(0, MESSAGE_LIMIT), count: 1 });
      }
    },

    /** The most frequent cause; null if no task failed. */
    commonest(): CommonestCause | null {
      const [first, ...rest] = causes.values();
      return first ? rest.reduce((most, each) => (each.count > most.count ? each : most), first) : null;
    },
  };
}

/** The cause as shown in a run's message and in the operators' view. */
export function causeMessage({ message, count }: CommonestCause): string {
  return `Most often, ${count === 1 ? 'once' : `${count} times`}: ${message}`;
}
