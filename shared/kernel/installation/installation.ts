import type { Database } from '../database.ts';
import { readEngineMark } from '../engine/installation-mark.ts';
import { type Engine, isEngineUnavailable } from '../engine/temporal.ts';
import { CalibronError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { createComparison } from './comparison.ts';
import type { Places } from './rules.ts';
import { rememberedRuns } from './run-memory.ts';
import { createInstallationStore } from './store.ts';

/** Milliseconds between checks, which poll because reconnects of the workers to Temporal cannot be observed. */
const INTERVAL = 5000;
/** Seconds after which a refused caller may retry. */
const RETRY_AFTER = 5;
/** Dependencies of the installation check. */
export interface InstallationParts {
  database: Pick<Database, 'db' | 'onReconnect'>;
  engine: Engine;
  /** host:port of the Temporal server, for messages. */
  address: string;
  /** Calibration data root, for processes that write there. It is checked as well. */
  dataRoot?: string;
}

export type Installation = ReturnType<typeof createInstallation>;

/** The part of the check that other modules need. */
export type InstallationState = Pick<Installation, 'problem' | 'settled'>;

/** The locations of store and engine, for messages. */
export function placesOf({ database, engine, address }: InstallationParts): Places {
  return { database: database.db.databaseName, address, namespace: engine.namespace };
}

/**
 * Checks that store, Temporal and data root belong to the same installation. The first process creates the id. A namespace
 * without an id is claimed for the store if the store is not bound to another namespace.
 */
export function createInstallation(parts: InstallationParts) {
  const { database, engine, dataRoot } = parts;
  const store = createInstallationStore(database.db);
  const comparison = createComparison({ store, engine, places: placesOf(parts), dataRoot });
  /** Runs for which both sides were compared, and runs for which only Temporal's id was. */
  const ownRuns = rememberedRuns();
  const measuredRuns = rememberedRuns();
  let problem: string | null = null;
  /** Number of connection losses to the store. */
  let reconnects = 0;
  /** Number of connection losses after which the store has been checked. */
  let settledReconnects = 0;
  let settling: Promise<void> | null = null;

  database.onReconnect(() => {
    reconnects += 1;
    ownRuns.clear();
  });

  const check = sharedWhileQueued(async () => {
    let found = await comparison.compare();
    // Compare again, because adopting changes one side after the other.
    if (found !== null) found = await comparison.compare();
    problem = found;
    if (problem === null) return;
    ownRuns.clear();
    measuredRuns.clear();
  });

  /** Measurements that begin together share an answer of the engine. */
  const readMark = sharedWhileQueued(() => readEngineMark(engine));

  /** Checks now. @throws wrong_installation, and the errors of store and engine if they are unavailable */
  async function confirm(): Promise<void> {
    await check();
    if (problem !== null) throw wrongInstallation(problem);
  }

  /**
   * After a loss of connections to the store, waits until it is known whether the store is still the same. It also returns
   * if a part is unavailable, because calls that need that part fail by themselves.
   */
  async function settled(): Promise<void> {
    if (settledReconnects === reconnects || comparison.confirmedId() === null) return;
    settling ??= lookAtStore().finally(() => {
      settling = null;
    });
    await settling.catch(() => undefined);
  }

  /** Compares the store after each loss of connections. */
  async function lookAtStore(): Promise<void> {
    while (settledReconnects !== reconnects) {
      const before = reconnects;
      const { installation_id } = await store.get();
      if (installation_id !== comparison.confirmedId()) await check();
      settledReconnects = before;
    }
  }

  /**
   * Admits work on a run. Both sides are checked when this process first sees the run, because the workers' connections
   * may meanwhile lead to another server.
   * @throws like {@link confirm}
   */
  async function admit(runId: string): Promise<void> {
    await settled();
    if (problem !== null) throw wrongInstallation(problem);
    if (ownRuns.has(runId)) return;
    await confirm();
    ownRuns.add(runId);
  }

  return {
    store,
    confirm,
    settled,
    admit,

    /** Why this process must not serve, according to the latest check; null if there is no known problem. */
    get problem(): string | null {
      return problem;
    },

    /**
     * Admits a measurement of a run. It needs no store, so it is also admitted while the store is unavailable: the id in
     * Temporal must be the one that was last found on both sides.
     * @throws wrong_installation, and the errors of the engine if it is unavailable
     */
    async admitMeasurement(runId: string): Promise<void> {
      if (problem !== null) throw wrongInstallation(problem);
      if (ownRuns.has(runId) || measuredRuns.has(runId)) return;
      if (comparison.confirmedId() === null) return admit(runId);
      const { installation_id } = await readMark();
      if (installation_id !== comparison.confirmedId()) return admit(runId);
      measuredRuns.add(runId);
    },

    /**
     * Checks periodically, and after each loss of connections to the store.
     * @param changed called with each new problem, and with null when the problem is gone
     */
    watch({ log, changed }: { log: Logger; changed(problem: string | null): void }): { end(): void } {
      let reported = problem;
      let hasEnded = false;

      async function look(): Promise<void> {
        await check().catch((thrown: unknown) => {
          log.debug({ error: String(thrown) }, 'the installation could not be checked');
        });
        if (hasEnded || problem === reported) return;
        reported = problem;
        if (problem === null) log.info('store and Temporal belong to one installation again');
        else log.error(problem);
        changed(problem);
      }

      const timer = setInterval(() => void look(), INTERVAL);
      timer.unref();
      database.onReconnect(() => {
        if (!hasEnded) void look();
      });
      return {
        end() {
          hasEnded = true;
          clearInterval(timer);
        },
      };
    },

    /** Checks at the start of a program that can run without the engine; ignores an unavailable engine. */
    async checkIfThere(): Promise<void> {
      await check().catch((thrown: unknown) => {
        if (!isEngineUnavailable(thrown)) throw thrown;
      });
    },
  };
}

/** The error for all refusals. */
export function wrongInstallation(problem: string): CalibronError {
  return new CalibronError('wrong_installation', problem, { retryAfter: RETRY_AFTER });
}

/** Calls `ask` for each caller. Callers that arrive while it runs share the next call. */
function sharedWhileQueued<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  let queued: Promise<T> | null = null;

  function begin(): Promise<T> {
    running = ask().finally(() => {
      running = null;
    });
    return running;
  }

  return () => {
    if (running === null) return begin();
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = null;
        return begin();
      });
    return queued;
  };
}
