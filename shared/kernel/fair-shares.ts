/** Equal shares of a queue: start-time fair queuing of users, and of the projects of each. */

/** The user and project that work is done for. Users share a queue equally; a user's projects divide the user's share. */
export interface Share {
  user: string;
  project?: string | undefined;
}

/** Work done for a party so far, in virtual milliseconds, and its number of running jobs. */
export interface Account {
  /** The user or project. */
  key: string;
  spent: number;
  running: number;
}

/** A user or a project with its waiting items: a project's jobs, or a user's projects. */
export interface Party<Waiting> extends Account {
  waiting: Waiting;
}

/** Parties that share equally. */
export class Level<Waiting> {
  readonly parties = new Map<string, Party<Waiting>>();
  /** Virtual time: `spent` of the last served party, before that job. */
  private served = 0;

  private readonly empty: () => Waiting;
  private readonly hasWork: (waiting: Waiting) => boolean;
  private readonly mayStart: (account: Account) => boolean;

  constructor(
    empty: () => Waiting,
    hasWork: (waiting: Waiting) => boolean,
    mayStart: (account: Account) => boolean = () => true,
  ) {
    this.empty = empty;
    this.hasWork = hasWork;
    this.mayStart = mayStart;
  }

  /** The party under a key, which is created if it is new. */
  join(key: string): Party<Waiting> {
    let party = this.parties.get(key);
    if (!party) {
      party = { key, spent: this.served, running: 0, waiting: this.empty() };
      this.parties.set(key, party);
    } else if (this.isIdle(party)) {
      // Idle time earns no credit, so that a returning party does not block the others.
      party.spent = Math.max(party.spent, this.served);
    }
    return party;
  }

  /** The parties with waiting work that may run, the least served first; on a tie, the one that joined first. */
  inOrder(): Party<Waiting>[] {
    const able = [...this.parties.values()].filter(
      (party) => this.hasWork(party.waiting) && !this.isFull(party),
    );
    return able.length < 2 ? able : able.sort((a, b) => a.spent - b.spent);
  }

  hasAnyWork(): boolean {
    for (const { waiting } of this.parties.values()) if (this.hasWork(waiting)) return true;
    return false;
  }

  /** Charges the cost of a job in advance. */
  charge(party: Party<Waiting>, cost: number): Account {
    this.served = Math.max(this.served, party.spent);
    party.spent += cost;
    party.running += 1;
    return party;
  }

  /** Removes idle parties, except those that have used more than their share: the others must catch up first. */
  sweep(): void {
    for (const [key, party] of this.parties) {
      if (this.isIdle(party) && party.spent <= this.served) this.parties.delete(key);
    }
  }

  isFull(account: Account): boolean {
    return !this.mayStart(account);
  }

  private isIdle({ running, waiting }: Party<Waiting>): boolean {
    return running === 0 && !this.hasWork(waiting);
  }
}
