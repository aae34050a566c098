import { LRUCache } from 'lru-cache';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { coalescedMatches } from '../../kernel/coalesced-updates.ts';
import { retryDuplicateKey } from '../../kernel/database.ts';
import type { HeadDocument, ProvenanceCollections } from './collections.ts';
import type { EntityDocument } from './model.ts';
import { provenanceQid } from './rules.ts';
import { type EndedTask, headKeyOf } from './task-documents.ts';

/** The newest versions of a task's target as they were read; null if there are none yet. */
export interface Seen {
  head: Readonly<HeadDocument> | null;
}

/** Number of cached heads; more than the targets that a process measures concurrently. */
const HEADS = 500;

export type Heads = ReturnType<typeof createHeads>;

/** The newest versions of each target: hints for the next version numbers. */
export function createHeads({ entities, heads }: Pick<ProvenanceCollections, 'entities' | 'heads'>) {
  const writeHead = coalescedMatches(heads);
  const findHead = coalesced((ids) => heads.find({ _id: { $in: [...ids] } }).toArray());

  /**
   * Cache of the last heads that this process updated, with the task that updated them, so that the next task need not
   * read them.
   */
  const raised = new LRUCache<string, { by: string; head: Readonly<HeadDocument> }>({ max: HEADS });

  async function read(task: EndedTask): Promise<Seen> {
    return { head: await findHead(headKeyOf(task)) };
  }

  async function see(task: EndedTask): Promise<Seen> {
    const last = raised.get(headKeyOf(task));
    return last && last.by === task.after ? last : read(task);
  }

  /** Updates a head to the versions that a writer stored before it stopped midway. */
  async function mend(task: EndedTask): Promise<void> {
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
    await raise(headKeyOf(task), newest);
  }

  /**
   * Updates the head to given versions, never back to older ones.
   * @returns the parameters' new entries; null if the head had newer versions or did not exist
   */
  async function raise(
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
    if (await writeHead({ filter: { _id: headKey, $and: older }, update: { $set } })) return newest;
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

  return {
    see,
    read,
    mend,
    raise,
    /** Caches a head for the next task of its target. */
    keep(head: Readonly<HeadDocument>, by: string): void {
      raised.set(head._id, { by, head });
    },
  };
}

export function versionBefore({ project_id, chip_id, parameter_name, qid, version }: EntityDocument) {
  return { project_id, chip_id, parameter_name, qid, version: version - 1 };
}
