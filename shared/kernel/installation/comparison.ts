import { type EngineMark, readEngineMark, writeEngineMark } from '../engine/installation-mark.ts';
import { type Engine, isEngineUnavailable } from '../engine/temporal.ts';
import { dataRootProblem } from './data-root.ts';
import { foreignMessage, type Places, relationOf } from './rules.ts';
import type { createInstallationStore, StoredInstallation } from './store.ts';

/** Maximum number of attempts to write the id into the namespace while there are concurrent writers. */
const WRITE_ATTEMPTS = 5;

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

/** Compares the ids of store, Temporal and data root, and claims a namespace that has none. */
export function createComparison({
  store,
  engine,
  places,
  dataRoot,
}: {
  store: ReturnType<typeof createInstallationStore>;
  engine: Engine;
  /** Where store and engine are, for messages. */
  places: Places;
  dataRoot: string | undefined;
}) {
  /** The id that the last successful comparison found on both sides. */
  let confirmedId: string | null = null;

  /** @returns why store and engine must not be used together, or null */
  async function compare(): Promise<string | null> {
    const stored = await store.get();
    let mark: EngineMark;
    try {
      mark = await readEngineMark(engine);
    } catch (thrown) {
      // The engine is not needed to see that the store is not the same as before.
      const isOther = confirmedId !== null && stored.installation_id !== confirmedId;
      if (isOther && isEngineUnavailable(thrown)) return foreignMessage(stored, null, places);
      throw thrown;
    }
    return settle(stored, mark);
  }

  /** Decides by the relation of both sides. */
  async function settle(stored: StoredInstallation, mark: EngineMark): Promise<string | null> {
    switch (relationOf(stored, mark)) {
      case 'foreign':
        return foreignMessage(stored, mark, places);
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

  /** Compares after a change of one side. */
  async function compareAgain(): Promise<string | null> {
    const [stored, mark] = [await store.get(), await readEngineMark(engine)];
    const relation = relationOf(stored, mark);
    return relation === 'same' || relation === 'foreign'
      ? settle(stored, mark)
      : foreignMessage(stored, mark, places);
  }

  return {
    compare,
    /** The id that the last successful comparison found on both sides; null before it. */
    confirmedId: () => confirmedId,
  };
}
