/** Milliseconds in which half of what a tenant has used is forgotten. */
const HALF_LIFE = 60_000;
/** Milliseconds of processor time that are as good as none. */
const NOTHING = 1;

/** Who comes next: of all that wait, the tenant that has had the least processor time lately. */
export function createTurns(now: () => number = () => performance.now()) {
  const noted = new Map<string, { ms: number; at: number }>();

  /** Milliseconds of processor time that a tenant has had lately; what is long ago counts for less. */
  function used(tenant: string): number {
    const note = noted.get(tenant);
    return note === undefined ? 0 : note.ms * 0.5 ** ((now() - note.at) / HALF_LIFE);
  }

  return {
    used,

    note(tenant: string, ms: number): void {
      noted.set(tenant, { ms: used(tenant) + ms, at: now() });
      for (const other of noted.keys()) if (used(other) < NOTHING) noted.delete(other);
    },

    /** In the order in which they come; those that have had the same, as they came. */
    ordered<T extends { tenant: string }>(waiting: readonly T[]): T[] {
      return waiting
        .map((one) => ({ one, ms: used(one.tenant) }))
        .sort((a, b) => a.ms - b.ms)
        .map(({ one }) => one);
    },
  };
}
