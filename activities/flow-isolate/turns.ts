/** Half-life of a tenant's used processor time, in milliseconds. */
const HALF_LIFE = 60_000;
/** Processor time in milliseconds that is negligible. */
const NOTHING = 1;

/** A user, or one of a user's projects. */
export interface Party {
  tenant: string;
  project?: string;
}

/**
 * Determines who is next: of all waiting users, the one with the least recent processor time; of that user's projects, the
 * one with the least.
 */
export function createTurns(now: () => number = () => performance.now()) {
  const noted = new Map<string, { ms: number; at: number }>();

  function usedBy(key: string): number {
    const note = noted.get(key);
    return note === undefined ? 0 : note.ms * 0.5 ** ((now() - note.at) / HALF_LIFE);
  }

  /** Recent processor time of a party in milliseconds, with exponential decay. */
  function used(party: Party): number {
    return usedBy(keyOf(party));
  }

  function add(key: string, ms: number): void {
    noted.set(key, { ms: usedBy(key) + ms, at: now() });
  }

  return {
    used,

    /** Counts processor time for a user and its project. */
    note({ tenant, project }: Party, ms: number): void {
      add(keyOf({ tenant }), ms);
      if (project !== undefined) add(keyOf({ tenant, project }), ms);
      for (const key of noted.keys()) if (usedBy(key) < NOTHING) noted.delete(key);
    },

    /** Sorts waiting parties by turn. Parties with equal usage keep their order. */
    ordered<T extends Party>(waiting: readonly T[]): T[] {
      return waiting
        .map((one) => ({ one, user: used({ tenant: one.tenant }), project: used(one) }))
        .sort((a, b) => a.user - b.user || a.project - b.project)
        .map(({ one }) => one);
    },
  };
}

function keyOf({ tenant, project }: Party): string {
  return JSON.stringify([tenant, project]);
}
