import { coalescedInserts } from '../../kernel/coalesced-inserts.ts';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { isDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { ProvenanceCollections } from './collections.ts';
import { type Heads, type Seen, versionBefore } from './heads.ts';
import type { EntityDocument } from './model.ts';
import { entityId } from './rules.ts';
import { type EndedTask, type NewVersion, nextVersion } from './task-documents.ts';

/** Maximum number of attempts to get a version number while other writers take numbers. */
const VERSION_ATTEMPTS = 50;

/** Adds versions of outputs. Conflicts between writers are decided by the unique index of version numbers. */
export function createNewVersions({
  entities,
  heads,
}: Pick<ProvenanceCollections, 'entities'> & { heads: Pick<Heads, 'read' | 'mend'> }) {
  const insert = coalescedInserts(entities);
  const find = coalesced((ids) => entities.find({ _id: { $in: [...ids] } }).toArray());

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
    if (versions.length === 1) return (await insert(documents)) === documents.length;
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
      await heads.mend(task);
      const [{ head }, known] = await Promise.all([heads.read(task), addedBefore(task)]);
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

  /** The versions that an earlier attempt added, by parameter. */
  async function addedBefore(task: EndedTask): Promise<Map<string, Readonly<EntityDocument>>> {
    const stored = await Promise.all(
      task.outputs.map(({ parameter_name }) =>
        find(keyOf(task.project_id, entityId(parameter_name, task.qid, task.execution_id, task.task_id))),
      ),
    );
    return new Map(stored.flatMap((entity) => (entity ? [[entity.parameter_name, entity] as const] : [])));
  }

  /** The version before a given one, if the head is newer by now because the task is retried late. */
  async function previousOf(document: EntityDocument): Promise<string | null> {
    if (document.version === 1) return null;
    const found = await entities.findOne(versionBefore(document), { projection: { entity_id: 1 } });
    return found?.entity_id ?? null;
  }

  return { addVersions };
}
