import type { Database } from '../database.ts';
import { type EngineMark, readEngineMark, writeEngineMark } from '../engine/installation-mark.ts';
import { type Engine, isEngineUnavailable } from '../engine/temporal.ts';
import { CalibronError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { dataRootProblem } from './data-root.ts';
import { foreignSentence, type Places, relationOf } from './rules.ts';
import { createInstallationStore, type StoredInstallation } from './store.ts';

/** Milliseconds between checks, which poll because reconnects of the workers to Temporal cannot be observed. */
const INTERVAL = 5000;
/** Seconds after which a refused caller may retry. */
const RETRY_AFTER = 5;
/** Maximum number of runs that are remembered as ours and need no further check. */
const MAX_RUNS = 10_000;
/** Maximum number of attempts to write the id into the namespace while there are concurrent writers. */
const WRITE_ATTEMPTS = 5;

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
  const places = placesOf(parts);
  /** Runs for which both sides were compared, and runs for which only Temporal's id was. */
  const ownRuns = rememberedRuns();
  const measuredRuns = rememberedRuns();
  let problem: string | null = null;
  /** The id that the last successful check found on both sides. */
  let confirmedId: string | null = null;
  /** Number of connection losses to the store. */
  let reconnects = 0;
  /** Number of connection losses after which the store has been checked. */
  let settledReconnects = 0;
  let settling: Promise<void> | null = null;

  database.onReconnect(() => {
    reconnects += 1;
    ownRuns.clear();
  });

  /** @returns why store and engine must not be used together, or null */
  async function compare(): Promise<string | null> {
    const stored = await store.get();
    let mark: EngineMark;
    try {
      mark = await readEngineMark(engine);
    } catch (thrown) {
      // The engine is not needed to see that the store is not the same as before.
      const isOther = confirmedId !== null && stored.installation_id !== confirmedId;
      if (isOther && isEngineUnavailable(thrown)) return foreignSentence(stored, null, places);
      throw thrown;
    }
    return settle(stored, mark);
  }

  async function settle(stored: StoredInstallation, mark: EngineMark): Promise<string | null> {
    switch (relationOf(stored, mark)) {
      case 'foreign':
        return foreignSentence(stored, mark, places);
      case 'unmarked':
        return claim(stored, mark);
      case 'unbound':
        if (mark.namespace_id !== null) await store.bind(mark.namespace_id);
        return compareAgain();
      case 'same':
        if (mark.is_closed) await writeMark(engine, stored.installation_id);
        confirmedId = stored.installation_id;
        return dataRoot === undefined ? null : dataRootProblem(dataRoot, store);
    }
  }

  /** Binds the store first: if two namespaces are claimed at once, only one gets the id. */
  async function claim(stored: StoredInstallation, mark: EngineMark): Promise<string | null> {
    if (stored.namespace_id === null && mark.namespace_id !== null && !(await store.bind(mark.namespace_id)))
      return compareAgain();
    await writeMark(engine, stored.installation_id);
    return compareAgain();
  }

  async function compareAgain(): Promise<string | null> {
    const [stored, mark] = [await store.get(), await readEngineMark(engine)];
    const relation = relationOf(stored, mark);
    return relation === 'same' || relation === 'foreign'
      ? settle(stored, mark)
      : foreignSentence(stored, mark, places);
  }

  const check = sharedWhileQueued(async () => {
    let found = await compare();
    // Compare again, because adopting changes one side after the other.
    if (found !== null) found = await compare();
    problem = found;
    if (problem === null) return;
    ownRuns.clear();
    measuredRuns.clear();
  });

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
    if (settledReconnects === reconnects || confirmedId === null) return;
    settling ??= lookAtStore().finally(() => {
      settling = null;
    });
    await settling.catch(() => undefined);
  }

  async function lookAtStore(): Promise<void> {
    while (settledReconnects !== reconnects) {
      const before = reconnects;
      const { installation_id } = await store.get();
      if (installation_id !== confirmedId) await check();
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
      if (confirmedId === null) return admit(runId);
      const mark = await readEngineMark(engine);
      if (mark.installation_id !== confirmedId) return admit(runId);
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

/** Ids of runs that need no further check. */
function rememberedRuns() {
  const runs = new Set<string>();
  return {
    has: (runId: string) => runs.has(runId),
    add(runId: string) {
      if (runs.size >= MAX_RUNS) runs.clear();
      runs.add(runId);
    },
    clear: () => runs.clear(),
  };
}

/** The error for all refusals. */
export function wrongInstallation(problem: string): CalibronError {
  return new CalibronError('wrong_installation', problem, { retryAfter: RETRY_AFTER });
}

/** Writes the id, with retries because concurrent writers of the same namespace can block it briefly. */
export async function writeMark(engine: Engine, installationId: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await writeEngineMark(engine, installationId);
      return;
    } catch (thrown) {
      const { installation_id, is_closed } = await readEngineMark(engine);
      if (installation_id === installationId && !is_closed) return;
      if (attempt === WRITE_ATTEMPTS || !isEngineUnavailable(thrown)) throw thrown;
    }
  }
}

/** Calls `ask` for each caller. Callers that arrive while it runs share the next call. */
function sharedWhileQueued(ask: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let queued: Promise<void> | null = null;

  function begin(): Promise<void> {
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
