import { coalescedInserts } from '../../kernel/coalesced-inserts.ts';
import { coalescedUpdates } from '../../kernel/coalesced-updates.ts';
import { keyOf } from '../../kernel/ids.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import type { ProvenanceCollections } from './collections.ts';
import { createHeads } from './heads.ts';
import { createNewVersions } from './new-versions.ts';
import {
  activityUpdate,
  type EndedTask,
  headKeyOf,
  type NewVersion,
  newestOf,
  relationsOf,
} from './task-documents.ts';

/**
 * Records the outputs of tasks. Conflicts between writers are decided by the unique index of version numbers, never by a
 * read before a write; the head of a target is only a hint for the next number. A writer that finds the version of
 * another writer that stopped midway ends the version before it, so that every version except the newest has an end.
 */
export function createRecorder({ entities, activities, relations, heads: stored }: ProvenanceCollections) {
  const updateActivities = coalescedUpdates(activities);
  const updateEntities = coalescedUpdates(entities);
  const insertRelations = coalescedInserts(relations);
  const heads = createHeads({ entities, heads: stored });
  const { addVersions } = createNewVersions({ entities, heads });

  /** Sets the end of the versions before these. */
  async function endPrevious(versions: readonly NewVersion[]): Promise<void> {
    const ended = versions.flatMap(({ document, previous }) =>
      previous === null
        ? []
        : [
            {
              filter: { _id: keyOf(document.project_id, previous), valid_until: null },
              update: { $set: { valid_until: document.valid_from } },
            },
          ],
    );
    await updateEntities(ended);
  }

  /** Adds tasks of one target, in the order in which they ended; each as `add` does. */
  async function addInOrder(tasks: readonly EndedTask[]): Promise<void> {
    const [first] = tasks;
    const last = tasks.at(-1);
    if (!first || !last) return;
    const hasOutputs = tasks.some(({ outputs }) => outputs.length > 0);
    const known = hasOutputs ? await heads.see(first) : { head: null };
    const [versions] = await Promise.all([
      addVersions(tasks, known),
      updateActivities(tasks.map(activityUpdate)),
    ]);
    const _id = headKeyOf(first);
    const [newest] = await Promise.all([
      heads.raise(_id, newestOf(versions.flat().map(({ document }) => document))),
      endPrevious(versions.flat()),
      insertRelations(tasks.flatMap((task, position) => relationsOf(task, versions[position] ?? []))),
    ]);
    if (newest) {
      heads.keep({ _id, parameters: { ...known.head?.parameters, ...newest } }, last.task_id);
    }
  }

  return {
    /**
     * Adds a finished task: its activity, a new version of each output, and their relations: wasGeneratedBy,
     * wasDerivedFrom (the parameter's previous version) and used (input versions). Keyed by task id, so that a retry
     * completes an earlier attempt without duplicates.
     */
    add: (task: EndedTask): Promise<void> => repeatLost(() => addInOrder([task])),

    addInOrder,
  };
}
