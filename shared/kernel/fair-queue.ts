import type { Account, Share } from './fair-shares.ts';
import { owningUser } from './owning-user.ts';
import { type Charge, type Job, WaitingJobs } from './waiting-jobs.ts';

export type { Share } from './fair-shares.ts';

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
  const jobs = new WaitingJobs(mayStart);
  let running = 0;
  let estimate = FIRST_ESTIMATE;
  let untilSweep = SWEEP_EVERY;

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
    jobs.sweep();
  }

  /** Lets a user's next job wait while other users use the queue. */
  function rest(user: string, milliseconds: number): void {
    if (milliseconds < 1 || resting.has(user) || !isShared(user)) return;
    const end = setTimeout(() => {
      resting.delete(user);
      startNext();
    }, milliseconds);
    resting.set(user, end);
  }

  /** Starts jobs while slots are free. */
  function startNext(): void {
    while (running < atOnce) {
      const next = jobs.start(estimate);
      if (!next) return;
      running += 1;
      next.job.begin(next.charge);
    }
  }

  /** Waits for a slot. @returns the cost that was charged for the job */
  function waitForTurn(
    share: Share,
    { signal, deferred: isDeferred = false, claim = () => true }: JobOptions,
  ): Promise<Charge> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        if (jobs.remove(job)) reject(signal?.reason);
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
      jobs.add(job, isDeferred);
      signal?.addEventListener('abort', abort, { once: true });
      startNext();
    });
  }

  return {
    get load() {
      return { waiting: jobs.size, running };
    },

    async run(given, work, job = {}) {
      const share = { ...given, user: owningUser(given.user) };
      job.signal?.throwIfAborted();
      lastUsers.note(share.user, now());
      if (running >= atOnce || jobs.isFull(share.user)) {
        if (jobs.sizeOf(share.user) >= waitingPerUser) throw new QueueFull('user');
        if (jobs.size >= mostWaiting) throw new QueueFull('all');
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
        jobs.promoteOne(now() - deferMs);
        startNext();
      }
    },
  };
}
