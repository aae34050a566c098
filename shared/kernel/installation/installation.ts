import type { Database } from '../database.ts';
import { type EngineMark, readEngineMark, writeEngineMark } from '../engine/installation-mark.ts';
import { type Engine, isEngineUnavailable } from '../engine/temporal.ts';
import { CalibronError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { dataRootProblem } from './data-root.ts';
import { foreignSentence, type Places, relationOf } from './rules.ts';
import { createInstallationStore, type StoredInstallation } from './store.ts';

/** Milliseconds between two checks. Reconnects of the workers' own connections to Temporal cannot be observed. */
const INTERVAL = 5000;
/** Seconds after which a refused caller may ask again. */
const RETRY_AFTER = 5;
/** Runs that count as ours without another check. */
const MOST_RUNS = 10_000;
/** Times that the id is written into the namespace while other writers are in the way. */
const WRITE_ATTEMPTS = 5;

/** What is needed to check an installation. */
export interface InstallationParts {
  database: Pick<Database, 'db' | 'onReconnect'>;
  engine: Engine;
  /** host:port of the Temporal server, for messages. */
  address: string;
  /** Calibration data root of a process that writes there; it is checked as well. */
  dataRoot?: string;
}

export type Installation = ReturnType<typeof createInstallation>;

/** What the other parts of a program need of the check. */
export type InstallationState = Pick<Installation, 'problem' | 'settled'>;

/** Where both sides are, as messages name them. */
export function placesOf({ database, engine, address }: InstallationParts): Places {
  return { database: database.db.databaseName, address, namespace: engine.namespace };
}

/**
 * Checks that store, Temporal and data root belong to one installation. The id is created by the first process that
 * asks; a namespace that the store is not bound to and that carries no id is claimed for the store.
 */
export function createInstallation(parts: InstallationParts) {
  const { database, engine, dataRoot } = parts;
  const store = createInstallationStore(database.db);
  const places = placesOf(parts);
  const ownRuns = new Set<string>();
  let problem: string | null = null;
  /** The id that a check found on both sides. */
  let confirmedId: string | null = null;
  /** Grows with each loss of connections to the store. */
  let reconnects = 0;
  /** How many of them the store has been looked at after. */
  let settledReconnects = 0;
  let settling: Promise<void> | null = null;

  database.onReconnect(() => {
    reconnects += 1;
    ownRuns.clear();
  });

  /** @returns why both sides may not be used together, or null */
  async function compare(): Promise<string | null> {
    const stored = await store.get();
    let mark: EngineMark;
    try {
      mark = await readEngineMark(engine);
    } catch (thrown) {
      // The store alone shows that it is another one than before.
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

  /** The store is bound first, so that of two namespaces that are claimed at once only one gets the id. */
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
    // Adopting changes one side after the other.
    if (found !== null) found = await compare();
    problem = found;
    if (problem !== null) ownRuns.clear();
  });

  /** Checks now. @throws wrong_installation, and what store and engine throw when they are away */
  async function confirm(): Promise<void> {
    await check();
    if (problem !== null) throw wrongInstallation(problem);
  }

  /**
   * After a loss of connections to the store, waits until it is known whether the store is the same. A part that is away
   * changes nothing: what needs it fails by itself.
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

  return {
    store,
    confirm,
    settled,

    /** Why this process may not serve, as of the newest check; null while nothing is known against it. */
    get problem(): string | null {
      return problem;
    },

    /**
     * Lets a run be worked on: the first time that this process sees it, both sides are checked, since the connections of
     * workers may lead to another server by now.
     * @throws as {@link confirm}
     */
    async admit(runId: string): Promise<void> {
      await settled();
      if (problem !== null) throw wrongInstallation(problem);
      if (ownRuns.has(runId)) return;
      await confirm();
      if (ownRuns.size >= MOST_RUNS) ownRuns.clear();
      ownRuns.add(runId);
    },

    /**
     * Checks again and again, and after each loss of connections to the store.
     * @param changed called with the problem when there is a new one, with null when it is gone
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

    /** Tries to check at the start of a program that also serves while an engine is away. */
    async checkIfThere(): Promise<void> {
      await check().catch((thrown: unknown) => {
        if (!isEngineUnavailable(thrown)) throw thrown;
      });
    },
  };
}

/** The error of every refusal. */
export function wrongInstallation(problem: string): CalibronError {
  return new CalibronError('wrong_installation', problem, { retryAfter: RETRY_AFTER });
}

/** Writes the id; other writers of the same namespace can be in the way for a moment. */
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

/** Calls `ask` for each caller, but those who call while it runs share the next call. */
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
