import type { Collection } from 'mongodb';
import type { ProjectId } from '../../kernel/ids.ts';
import type { largeFields, TaskResultDocument } from './model.ts';

/** The newest results of tasks for each target of a chip. */
export function createLatestResults(tasks: Collection<TaskResultDocument>) {
  /** Target and key of the newest result of each of these tasks on each target. */
  async function newestOf(
    projectId: ProjectId,
    chipId: string,
    names: readonly string[],
    qids?: readonly string[],
  ): Promise<{ _id: string; id: string }[]> {
    const ofChip = { project_id: projectId, chip_id: chipId };
    const there = names.length === 1 ? null : new Set(await tasks.distinct('name', ofChip));
    const newest = await Promise.all(
      names
        .filter((name) => there === null || there.has(name))
        .map((name) =>
          tasks
            .aggregate<{ _id: string; id: string }>([
              { $match: { ...ofChip, name, ...(qids ? { qid: { $in: [...qids] } } : {}) } },
              { $sort: { qid: 1, start_at: -1, task_id: -1 } },
              { $group: { _id: '$qid', id: { $first: '$_id' } } },
            ])
            .toArray(),
        ),
    );
    return newest.flat();
  }

  return {
    /** The newest result of a task for each target of a chip, by start, then task id; within a time window if given. */
    async latestByTarget(
      projectId: ProjectId,
      chipId: string,
      taskName: string,
      started?: { from: Date; before: Date },
    ): Promise<Map<string, TaskResultDocument>> {
      const ofTask = { project_id: projectId, chip_id: chipId, name: taskName };
      const newest = await tasks
        .aggregate<{ _id: string; id: string }>([
          ...(started
            ? [
                { $match: { ...ofTask, start_at: { $gte: started.from, $lt: started.before } } },
                { $sort: { start_at: -1, task_id: -1 } },
              ]
            : [{ $match: ofTask }, { $sort: { qid: 1, start_at: -1, task_id: -1 } }]),
          { $group: { _id: '$qid', id: { $first: '$_id' } } },
        ])
        .toArray();
      const documents = await tasks.find({ _id: { $in: newest.map((row) => row.id) } }).toArray();
      return new Map(documents.map((document) => [document.qid, document]));
    },

    /**
     * The newest result of each of these tasks for the qubits of a chip, or for some of them, by `<task>/<qid>`. Task
     * names without results on the chip cost no extra query time.
     */
    async latestOfTasks(
      projectId: ProjectId,
      chipId: string,
      names: readonly string[],
      qids?: readonly string[],
    ): Promise<Map<string, TaskResultDocument>> {
      const newest = await newestOf(projectId, chipId, names, qids);
      const documents = await tasks.find({ _id: { $in: newest.map(({ id }) => id) } }).toArray();
      return byTaskAndTarget(documents);
    },

    /**
     * As {@link latestOfTasks}, for one part of the targets after another: only the keys of all results are in memory.
     * @param without fields that are not read and come as empty objects
     */
    async *latestInParts(
      projectId: ProjectId,
      chipId: string,
      names: readonly string[],
      {
        parts,
        without = [],
      }: { parts: readonly (readonly string[])[]; without?: readonly (typeof largeFields)[number][] },
    ): AsyncGenerator<Map<string, TaskResultDocument>> {
      const keys = new Map<string, string[]>();
      for (const { _id: qid, id } of await newestOf(projectId, chipId, names)) {
        const ofTarget = keys.get(qid);
        if (ofTarget) ofTarget.push(id);
        else keys.set(qid, [id]);
      }
      const projection = Object.fromEntries(without.map((name) => [name, 0 as const]));
      const unread = Object.fromEntries(without.map((name) => [name, {}]));
      for (const qids of parts) {
        const wanted = qids.flatMap((qid) => keys.get(qid) ?? []);
        const found =
          wanted.length === 0 ? [] : await tasks.find({ _id: { $in: wanted } }, { projection }).toArray();
        yield byTaskAndTarget(found.map((document) => ({ ...document, ...unread })));
      }
    },
  };
}

function byTaskAndTarget(documents: readonly TaskResultDocument[]): Map<string, TaskResultDocument> {
  return new Map(documents.map((document) => [`${document.name}/${document.qid}`, document]));
}
