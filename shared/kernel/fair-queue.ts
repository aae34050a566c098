import { owningUser } from './owning-user.ts';

/** The user and project that work is done for. Users share a queue equally; a user's projects divide the user's share. */
export interface Share {
  user: string;
  project?: string | undefined;
}

export interface FairQueueOptions {
  /** Maximum number of jobs that run at the same time. */
  atOnce: number;
  /** The same per user, so that long jobs of one user leave room for others. Default: no limit. */
  atOncePerUser?: number | undefined;
  /**
   * The same while other users also use the queue, or did within {@link SHARED_FOR} milliseconds: their next job then finds a
   * process that is nearly idle. Default: `atOncePerUser`.
   */
  atOncePerUserShared?: number | undefined;
  /**
   * A user's pause after each job, in multiples of what the job took, while other users also use the queue: with 1, a user who
   * always has jobs keeps the process busy half of the time. Default 0.
   */
  restShared?: number | undefined;
  /** Maximum number of waiting jobs; more are refused. Default: no limit. */
  waiting?: number | undefined;
  /** Maximum number of waiting jobs per user; more are refused. Default: no limit. */
  waitingPerUser?: number | undefined;
  /** Milliseconds that a deferred job waits behind all other jobs before it queues with them. Default 1000. */
  deferMs?: number;
  /** Clock in milliseconds. Default: `performance.now`. */
  now?: () => number;
}

export interface JobOptions {
  /** Removes a waiting job from the queue. Running work must watch the signal itself. */
  signal?: AbortSignal | undefined;
  /** The job runs after all others, but is deferred for `deferMs` at most. Default false. */
  deferred?: boolean;
  /**
   * Takes what the job needs besides a slot, such as a certain thread. While it returns false, jobs behind it start first. Called
   * whenever a slot is free; after it has returned true, the job starts.
   */
  claim?: (() => boolean) | undefined;
  /** Cost of the finished job in milliseconds. Default: its duration. */
  cost?: (() => number) | undefined;
}

export interface FairQueue {
  /**
   * Runs work when it gets its turn.
   * @throws QueueFull if too many jobs wait; the signal's reason if it is aborted while the job waits
   */
  run<Result>(share: Share, work: () => Result | Promise<Result>, options?: JobOptions): Promise<Result>;
  /** Number of waiting and running jobs, for metrics. */
  readonly load: { waiting: number; running: number };
}

/** Too many jobs wait; `scope` says whether the limit of this user or the total limit was reached. */
export class QueueFull extends Error {
  readonly scope: 'user' | 'all';
  constructor(scope: 'user' | 'all') {
    super(scope === 'user' ? 'too many jobs of this user wait' : 'too many jobs wait');
    this.name = 'QueueFull';
    this.scope = scope;
  }
}

interface Job {
  share: Share;
  since: number;
  claim: () => boolean;
  begin: (charged: Charge) => void;
}

/** The cost charged in advance for a running job, and the accounts charged. */
interface Charge {
  accounts: readonly Account[];
  assumed: number;
}

/** Work done for a party so far, in virtual milliseconds, and its number of running jobs. */
interface Account {
  /** The user or project. */
  key: string;
  spent: number;
  running: number;
}

/** A user or a project with its waiting items: a project's jobs, or a user's projects. */
interface Party<Waiting> extends Account {
  waiting: Waiting;
}

/** Parties that share equally. */
class Level<Waiting> {
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

type Jobs = Set<Job>;
type Projects = Level<Jobs>;

const newProjects = (): Projects =>
  new Level<Jobs>(
    () => new Set(),
    (jobs) => jobs.size > 0,
  );

/** Assumed duration of the first job in milliseconds; for later jobs, the running mean is assumed. */
const FIRST_ESTIMATE = 10;
/** Weight of the newest job in that mean. */
const NEWEST = 0.1;
/** Jobs between two removals of idle parties. */
const SWEEP_EVERY = 256;
/** Milliseconds after a user's last job for which other users leave room for the next one: the steps of a run follow closely. */
const SHARED_FOR = 3000;

/** The users who used a queue last, so that it is known whether others than a given one did. */
class LastUsers {
  private latest = { user: '', at: Number.NEGATIVE_INFINITY };
  /** The latest of all other users. */
  private second = this.latest;

  note(user: string, at: number): void {
    if (user !== this.latest.user) this.second = this.latest;
    this.latest = { user, at };
  }

  /** When anybody but this user used the queue last; -Infinity if nobody did. */
  lastOf(othersThan: string): number {
    return (this.latest.user === othersThan ? this.second : this.latest).at;
  }
}

/**
 * A queue whose slots are shared equally by users, then by each user's projects, measured by the time that their jobs take
 * (start-time fair queuing). However many jobs one user queues, another user's next job waits at most for the running jobs
 * and one turn of each other user.
 */
export function createFairQueue(options: FairQueueOptions): FairQueue {
  const {
    atOnce,
    atOncePerUser = Number.POSITIVE_INFINITY,
    atOncePerUserShared = atOncePerUser,
    restShared = 0,
    waiting: mostWaiting = Number.POSITIVE_INFINITY,
    waitingPerUser = Number.POSITIVE_INFINITY,
    deferMs = 1000,
    now = () => performance.now(),
  } = options;
  const lastUsers = new LastUsers();
  /** Users whose next job waits, each with the timer that ends the pause. */
  const resting = new Map<string, NodeJS.Timeout>();
  const isShared = (user: string) => now() - lastUsers.lastOf(user) <= SHARED_FOR;
  const mayStart = ({ key: user, running: own }: Account) =>
    !resting.has(user) && own < (isShared(user) ? atOncePerUserShared : atOncePerUser);
  const users = new Level<Projects>(newProjects, (projects) => projects.hasAnyWork(), mayStart);
  /** In order of arrival. */
  const deferred = new Set<Job>();
  const waitingOf = new Map<string, number>();
  let waiting = 0;
  let running = 0;
  let estimate = FIRST_ESTIMATE;
  let untilSweep = SWEEP_EVERY;

  function partiesOf({ user, project = '' }: Share) {
    const party = users.join(user);
    return { party, projects: party.waiting, own: party.waiting.join(project) };
  }

  function countWaiting(user: string, change: 1 | -1): void {
    waiting += change;
    const mine = (waitingOf.get(user) ?? 0) + change;
    if (mine > 0) waitingOf.set(user, mine);
    else waitingOf.delete(user);
  }

  /** Removes and returns the first job in fair order that gets what it needs. */
  function takeNext(): Job | undefined {
    for (const { waiting: projects } of users.inOrder()) {
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
  function takeDeferred(): Job | undefined {
    let best: { job: Job; spent: number } | undefined;
    for (const job of deferred) {
      const party = users.parties.get(job.share.user);
      if (party && users.isFull(party)) continue;
      const spent = party?.spent ?? Number.NEGATIVE_INFINITY;
      if (best === undefined || spent < best.spent) best = { job, spent };
    }
    if (!best?.job.claim()) return undefined;
    deferred.delete(best.job);
    return best.job;
  }

  function start(job: Job): void {
    countWaiting(job.share.user, -1);
    running += 1;
    const { party, projects, own } = partiesOf(job.share);
    const accounts = [users.charge(party, estimate), projects.charge(own, estimate)];
    job.begin({ accounts, assumed: estimate });
  }

  /** Replaces the assumed cost with the actual one. */
  function settle({ accounts, assumed }: Charge, taken: number): void {
    for (const account of accounts) {
      account.spent += taken - assumed;
      account.running -= 1;
    }
    running -= 1;
    estimate += (taken - estimate) * NEWEST;
    untilSweep -= 1;
    if (untilSweep > 0) return;
    untilSweep = SWEEP_EVERY;
    for (const { waiting: projects } of users.parties.values()) projects.sweep();
    users.sweep();
  }

  function rest(user: string, milliseconds: number): void {
    if (milliseconds < 1 || resting.has(user) || !isShared(user)) return;
    const end = setTimeout(() => {
      resting.delete(user);
      startNext();
    }, milliseconds);
    resting.set(user, end);
  }

  function startNext(): void {
    while (running < atOnce) {
      const job = takeNext() ?? takeDeferred();
      if (!job) return;
      start(job);
    }
  }

  /** Moves one deferred job that has waited long enough to the regular queue. */
  function promoteOne(): void {
    const [oldest] = deferred;
    if (!oldest || now() - oldest.since <= deferMs) return;
    deferred.delete(oldest);
    partiesOf(oldest.share).own.waiting.add(oldest);
  }

  function waitForTurn(
    share: Share,
    { signal, deferred: isDeferred = false, claim = () => true }: JobOptions,
  ): Promise<Charge> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        if (!partiesOf(share).own.waiting.delete(job) && !deferred.delete(job)) return;
        countWaiting(share.user, -1);
        reject(signal?.reason);
      };
      const job: Job = {
        share,
        since: now(),
        claim,
        begin: (charge) => {
          signal?.removeEventListener('abort', abort);
          resolve(charge);
        },
      };
      if (isDeferred) deferred.add(job);
      else partiesOf(share).own.waiting.add(job);
      countWaiting(share.user, 1);
      signal?.addEventListener('abort', abort, { once: true });
      startNext();
    });
  }

  return {
    get load() {
      return { waiting, running };
    },

    async run(given, work, job = {}) {
      const share = { ...given, user: owningUser(given.user) };
      job.signal?.throwIfAborted();
      lastUsers.note(share.user, now());
      const own = users.parties.get(share.user);
      if (running >= atOnce || (own && users.isFull(own))) {
        if ((waitingOf.get(share.user) ?? 0) >= waitingPerUser) throw new QueueFull('user');
        if (waiting >= mostWaiting) throw new QueueFull('all');
      }
      const charge = await waitForTurn(share, job);
      const started = now();
      try {
        return await work();
      } finally {
        const taken = job.cost?.() ?? now() - started;
        settle(charge, taken);
        rest(share.user, taken * restShared);
        lastUsers.note(share.user, now());
        promoteOne();
        startNext();
      }
    },
  };
}
