/** Milliseconds in which half of what a tenant has used is forgotten. */
const HALF_LIFE = 60_000;
/** Milliseconds of processor time that are as good as none. */
const NOTHING = 1;

/** A user, or one of a user's projects. */
export interface Party {
  tenant: string;
  project?: string;
}

/**
 * Who comes next: of all that wait, the user that has had the least processor time lately, and of the user's projects the
 * one that has.
 */
export function createTurns(now: () => number = () => performance.now()) {
  const noted = new Map<string, { ms: number; at: number }>();

  function usedBy(key: string): number {
    const note = noted.get(key);
    return note === undefined ? 0 : note.ms * 0.5 ** ((now() - note.at) / HALF_LIFE);
  }

  /** Milliseconds of processor time that a party has had lately; what is long ago counts for less. */
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

    /** In the order in which they come; those that have had the same, as they came. */
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
