/** What keeps a task from its end although nothing is wrong with its measurement, and for how long it is borne. */

interface Kind {
  /** Times that the task is asked for again. */
  repeats: number;
  /** Which of them is the first to be preceded by a pause. */
  pausesFrom: number;
  reason: string;
}

const kinds = {
  unknown: {
    repeats: 10,
    pausesFrom: 1,
    reason: 'its backend is served by workers of an earlier release, which cannot bring it to its end',
  },
  unprepared: {
    repeats: 10,
    pausesFrom: 2,
    reason: 'its worker could not begin it, while others could reach store and disk',
  },
  slow: { repeats: 2, pausesFrom: Number.POSITIVE_INFINITY, reason: 'its worker did not end it in time' },
} satisfies Record<string, Kind>;

/** Seconds of the longest pause. */
const LONGEST_PAUSE = 30;

/** Counts the setbacks of one task. */
export function createSetbacks() {
  const counts = { unknown: 0, unprepared: 0, slow: 0 };
  return {
    /**
     * Notes one more.
     * @returns the seconds to wait before the task is asked for again, or the sentence why it is not
     */
    note(kind: keyof typeof kinds): number | string {
      counts[kind] += 1;
      const { repeats, pausesFrom, reason } = kinds[kind];
      const count = counts[kind];
      if (count > repeats) {
        return `The measurement was given up after ${count} tries: ${reason}. The instrument reported no error.`;
      }
      return count < pausesFrom ? 0 : Math.min(LONGEST_PAUSE, 2 ** (count - pausesFrom));
    },
  };
}
