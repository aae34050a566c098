/** Half-life of used processor time, in milliseconds. */
const HALF_LIFE = 60_000;
/** Processor time in milliseconds that is negligible. */
const NOTHING = 1;

/** Recent processor time by key, such as a user, with exponential decay. */
export function createRecentUse(now: () => number = () => performance.now()) {
  const noted = new Map<string, { ms: number; at: number }>();

  function of(key: string): number {
    const note = noted.get(key);
    return note === undefined ? 0 : note.ms * 0.5 ** ((now() - note.at) / HALF_LIFE);
  }

  return {
    /** Recent processor time of a party in milliseconds. */
    of,

    add(key: string, ms: number): void {
      noted.set(key, { ms: of(key) + ms, at: now() });
      for (const each of noted.keys()) if (of(each) < NOTHING) noted.delete(each);
    },
  };
}
