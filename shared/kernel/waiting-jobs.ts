import { type Account, Level, type Share } from './fair-shares.ts';

/** A job that waits for its turn. */
export interface Job {
  share: Share;
  since: number;
  claim: () => boolean;
  begin: (charged: Charge) => void;
}

/** The cost charged in advance for a running job, and the accounts charged. */
export interface Charge {
  accounts: readonly Account[];
  assumed: number;
}

type Jobs = Set<Job>;
type Projects = Level<Jobs>;

const newProjects = (): Projects =>
  new Level<Jobs>(
    () => new Set(),
    (jobs) => jobs.size > 0,
  );

/** The jobs of a fair queue that wait, and the work that was done for each user and project. */
export class WaitingJobs {
  private readonly users: Level<Projects>;
  /** In order of arrival. */
  private readonly deferred = new Set<Job>();
  private readonly waitingOf = new Map<string, number>();
  private waiting = 0;

  /** @param mayStart whether another job of a user may start now */
  constructor(mayStart: (user: Account) => boolean) {
    this.users = new Level<Projects>(newProjects, (projects) => projects.hasAnyWork(), mayStart);
  }

  /** Number of waiting jobs. */
  get size(): number {
    return this.waiting;
  }

  /** Number of waiting jobs of a user. */
  sizeOf(user: string): number {
    return this.waitingOf.get(user) ?? 0;
  }

  /** Whether no further job of this user may start now. */
  isFull(user: string): boolean {
    const own = this.users.parties.get(user);
    return own !== undefined && this.users.isFull(own);
  }

  /** Adds a job; a deferred one waits behind all others. */
  add(job: Job, isDeferred: boolean): void {
    if (isDeferred) this.deferred.add(job);
    else this.partiesOf(job.share).own.waiting.add(job);
    this.count(job.share.user, 1);
  }

  /** Removes a job that no longer wants to run. @returns false if it no longer waits */
  remove(job: Job): boolean {
    if (!this.partiesOf(job.share).own.waiting.delete(job) && !this.deferred.delete(job)) return false;
    this.count(job.share.user, -1);
    return true;
  }

  /** Removes and returns the next job that gets what it needs, and charges its assumed cost. */
  start(assumed: number): { job: Job; charge: Charge } | undefined {
    const job = this.takeNext() ?? this.takeDeferred();
    if (!job) return undefined;
    this.count(job.share.user, -1);
    const { party, projects, own } = this.partiesOf(job.share);
    return {
      job,
      charge: { accounts: [this.users.charge(party, assumed), projects.charge(own, assumed)], assumed },
    };
  }

  /** Moves one deferred job that has waited since before a time to the regular queue. */
  promoteOne(before: number): void {
    const [oldest] = this.deferred;
    if (!oldest || oldest.since >= before) return;
    this.deferred.delete(oldest);
    this.partiesOf(oldest.share).own.waiting.add(oldest);
  }

  /** Removes idle users and projects. */
  sweep(): void {
    for (const { waiting: projects } of this.users.parties.values()) projects.sweep();
    this.users.sweep();
  }

  private partiesOf({ user, project = '' }: Share) {
    const party = this.users.join(user);
    return { party, projects: party.waiting, own: party.waiting.join(project) };
  }

  /** Changes the number of waiting jobs of a user, and of all. */
  private count(user: string, change: 1 | -1): void {
    this.waiting += change;
    const mine = this.sizeOf(user) + change;
    if (mine > 0) this.waitingOf.set(user, mine);
    else this.waitingOf.delete(user);
  }

  /** Removes and returns the first job in fair order that gets what it needs. */
  private takeNext(): Job | undefined {
    for (const { waiting: projects } of this.users.inOrder()) {
      for (const { waiting: jobs } of projects.inOrder()) {
        for (const job of jobs) {
          if (!job.claim()) continue;
          jobs.delete(job);
          return job;
        }
      }
    }
    return undefined;
  }

  /** The deferred job of the least served user. */
  private takeDeferred(): Job | undefined {
    let best: { job: Job; spent: number } | undefined;
    for (const job of this.deferred) {
      const party = this.users.parties.get(job.share.user);
      if (party && this.users.isFull(party)) continue;
      const spent = party?.spent ?? Number.NEGATIVE_INFINITY;
      if (best === undefined || spent < best.spent) best = { job, spent };
    }
    if (!best?.job.claim()) return undefined;
    this.deferred.delete(best.job);
    return best.job;
  }
}
