import { LRUCache } from 'lru-cache';
import { coalescedInserts } from '../../kernel/coalesced-inserts.ts';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { coalescedMatches, coalescedUpdates } from '../../kernel/coalesced-updates.ts';
import { isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import { repeatLost } from '../../kernel/repeat-lost.ts';
import type { HeadDocument, ProvenanceCollections } from './collections.ts';
import type { EntityDocument } from './model.ts';
import { entityId, provenanceQid } from './rules.ts';
import {
  activityUpdate,
  type EndedTask,
  headKeyOf,
  type NewVersion,
  newestOf,
  nextVersion,
  relationsOf,
} from './task-documents.ts';

/** The newest versions of a task's target as they were read; null if there are none yet. */
interface Seen {
  head: Readonly<HeadDocument> | null;
}

/** Number of cached heads; more than the targets that a process measures concurrently. */
const HEADS = 500;

/** Maximum number of attempts to get a version number while other writers take numbers. */
const VERSION_ATTEMPTS = 50;

/**
 * Records the outputs of tasks. Conflicts between writers are decided by the unique index of version numbers, never by a
 * read before a write; the head of a target is only a hint for the next number. A writer that finds the version of
 * another writer that stopped midway ends the version before it, so that every version except the newest has an end.
 */
export function createRecorder({ entities, activities, relations, heads }: ProvenanceCollections) {
  const write = {
    activities: coalescedUpdates(activities),
    entities: coalescedUpdates(entities),
    heads: coalescedMatches(heads),
  };
  const insert = { entities: coalescedInserts(entities), relations: coalescedInserts(relations) };
  const find = {
    head: coalesced((ids) => heads.find({ _id: { $in: [...ids] } }).toArray()),
    entity: coalesced((ids) => entities.find({ _id: { $in: [...ids] } }).toArray()),
  };

  /**
   * Cache of the last heads that this process updated, with the task that updated them, so that the next task need not
   * read them.
   */
  const raised = new LRUCache<string, { by: string; head: Readonly<HeadDocument> }>({ max: HEADS });

  async function see(task: EndedTask): Promise<Seen> {
    const last = raised.get(headKeyOf(task));
    return last && last.by === task.after ? last : read(task);
  }

  async function read(task: EndedTask): Promise<Seen> {
    return { head: await find.head(headKeyOf(task)) };
  }

  /** The versions that an earlier attempt added, by parameter. */
  async function addedBefore(task: EndedTask): Promise<Map<string, Readonly<EntityDocument>>> {
    const stored = await Promise.all(
      task.outputs.map(({ parameter_name }) =>
        find.entity(
          keyOf(task.project_id, entityId(parameter_name, task.qid, task.execution_id, task.task_id)),
        ),
      ),
    );
    return new Map(stored.flatMap((entity) => (entity ? [[entity.parameter_name, entity] as const] : [])));
  }

  /**
   * Adds the missing versions of tasks of one target. Versions of an earlier attempt keep their numbers. They are
   * detected, like a number taken by another writer, by the refused insert.
   */
  async function addVersions(tasks: readonly EndedTask[], seen: Seen): Promise<NewVersion[][]> {
    const current = new Map(Object.entries(seen.head?.parameters ?? {}));
    const wanted = tasks.map((task) =>
      task.outputs.map((output): NewVersion => {
        const before = current.get(output.parameter_name);
        const document = nextVersion(task, output, before);
        current.set(output.parameter_name, document);
        return { document, previous: before?.entity_id ?? null };
      }),
    );
    if (await insertAll(wanted)) return wanted;
    const added: NewVersion[][] = [];
    for (const task of tasks) added.push(await addBesideOthers(task));
    return added;
  }

  /**
   * Inserts the versions of each task. With several tasks the inserts are ordered: a version is stored only if all
   * versions before it are, because these would get a later number otherwise.
   * @returns whether all of them were missing
   */
  async function insertAll(versions: readonly (readonly NewVersion[])[]): Promise<boolean> {
    const documents = versions.flat().map(({ document }) => document);
    if (versions.length === 1) return (await insert.entities(documents)) === documents.length;
    if (documents.length === 0) return true;
    try {
      await entities.insertMany(documents, { ordered: true });
      return true;
    } catch (thrown) {
      if (!isDuplicateKey(thrown)) throw thrown;
      return false;
    }
  }

  /** As {@link addVersions}, if versions exist that the head does not include: from an earlier attempt, or another writer. */
  async function addBesideOthers(task: EndedTask): Promise<NewVersion[]> {
    for (let attempt = 1; ; attempt += 1) {
      await mendHead(task);
      const [{ head }, known] = await Promise.all([read(task), addedBefore(task)]);
      const wanted = task.outputs.map((output) => {
        const current = head?.parameters[output.parameter_name];
        const document = known.get(output.parameter_name) ?? nextVersion(task, output, current);
        return { document, current };
      });
      const missing = wanted.filter(({ document }) => !known.has(document.parameter_name));
      try {
        if (missing.length > 0) await entities.insertMany(missing.map(({ document }) => document));
      } catch (thrown) {
        if (!isDuplicateKey(thrown) || attempt >= VERSION_ATTEMPTS) throw thrown;
        continue;
      }
      return Promise.all(
        wanted.map(async ({ document, current }) => ({
          document,
          previous:
            current?.version === document.version - 1 ? current.entity_id : await previousOf(document),
        })),
      );
    }
  }

  function versionBefore({ project_id, chip_id, parameter_name, qid, version }: EntityDocument) {
    return { project_id, chip_id, parameter_name, qid, version: version - 1 };
  }

  /** The version before a given one, if the head is newer by now because the task is retried late. */
  async function previousOf(document: EntityDocument): Promise<string | null> {
    if (document.version === 1) return null;
    const found = await entities.findOne(versionBefore(document), { projection: { entity_id: 1 } });
    return found?.entity_id ?? null;
  }

  /** Updates a head to the versions that a writer stored before it stopped midway. */
  async function mendHead(task: EndedTask): Promise<void> {
    const found = await Promise.all(
      task.outputs.map(({ parameter_name }) =>
        entities.findOne(
          {
            project_id: task.project_id,
            chip_id: task.chip_id,
            parameter_name,
            qid: provenanceQid(task.qid),
          },
          { sort: { version: -1 } },
        ),
      ),
    );
    const newest = found.filter((entity) => entity !== null);
    const unended = newest.filter(({ version }) => version > 1);
    if (unended.length > 0) {
      await entities.bulkWrite(
        unended.map((entity) => ({
          updateOne: {
            filter: { ...versionBefore(entity), valid_until: null },
            update: { $set: { valid_until: entity.valid_from } },
          },
        })),
      );
    }
    await raiseHead(headKeyOf(task), newest);
  }

  /**
   * Updates the head to given versions, never back to older ones.
   * @returns the parameters' new entries; null if the head had newer versions or did not exist
   */
  async function raiseHead(
    headKey: string,
    versions: readonly EntityDocument[],
  ): Promise<HeadDocument['parameters'] | null> {
    if (versions.length === 0) return null;
    const older = versions.map(({ parameter_name, version }) => {
      const field = `parameters.${parameter_name}.version`;
      return { $or: [{ [field]: { $exists: false } }, { [field]: { $lt: version } }] };
    });
    const newest = Object.fromEntries(
      versions.map(({ parameter_name, version, entity_id, valid_from }) => [
        parameter_name,
        { version, entity_id, valid_from },
      ]),
    );
    const $set = Object.fromEntries(
      Object.entries(newest).map(([name, version]) => [`parameters.${name}`, version]),
    );
    if (await write.heads({ filter: { _id: headKey, $and: older }, update: { $set } })) return newest;
    // The head does not exist, or is newer in some parameter, or another update of the same command missed: update one by one.
    await retryDuplicateKey(() =>
      heads.updateOne({ _id: headKey }, { $setOnInsert: { parameters: {} } }, { upsert: true }),
    );
    await heads.bulkWrite(
      versions.map(({ parameter_name, version, entity_id, valid_from }, position) => ({
        updateOne: {
          filter: { _id: headKey, ...older[position] },
          update: { $set: { [`parameters.${parameter_name}`]: { version, entity_id, valid_from } } },
        },
      })),
    );
    return null;
  }

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
    await write.entities(ended);
  }

  /** Adds tasks of one target, in the order in which they ended; each as `add` does. */
  async function addInOrder(tasks: readonly EndedTask[]): Promise<void> {
    const [first] = tasks;
    const last = tasks.at(-1);
    if (!first || !last) return;
    const hasOutputs = tasks.some(({ outputs }) => outputs.length > 0);
    const known = hasOutputs ? await see(first) : { head: null };
    const [versions] = await Promise.all([
      addVersions(tasks, known),
      write.activities(tasks.map(activityUpdate)),
    ]);
    const _id = headKeyOf(first);
    const [newest] = await Promise.all([
      raiseHead(_id, newestOf(versions.flat().map(({ document }) => document))),
      endPrevious(versions.flat()),
      insert.relations(tasks.flatMap((task, position) => relationsOf(task, versions[position] ?? []))),
    ]);
    if (newest) {
      const head = { _id, parameters: { ...known.head?.parameters, ...newest } };
      raised.set(_id, { by: last.task_id, head });
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
