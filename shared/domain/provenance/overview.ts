import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type { ProvenanceCollections } from './collections.ts';
import {
  type Agent,
  type EntityDocument,
  type ParameterVersion,
  type ProvenanceExecutions,
  type ProvenanceHistory,
  type ProvenanceStats,
  relationTypes,
} from './model.ts';
import { provenanceQid } from './rules.ts';
import { versionOf } from './wire.ts';

/** Number of recent versions in the statistics. */
const RECENT_VERSIONS = 100;

/** Queries about versions that need no walk through the graph. */
export function createOverview({ entities, activities, relations }: ProvenanceCollections) {
  return {
    /** One version; null if there is none with this id. */
    async entity(projectId: ProjectId, id: string): Promise<ParameterVersion | null> {
      const document = await entities.findOne({ _id: keyOf(projectId, id) });
      return document ? versionOf(document) : null;
    },

    /** The agent of an activity; null if unknown. */
    async agent(projectId: ProjectId, activityId: string): Promise<Agent | null> {
      const activity = await activities.findOne(
        { _id: keyOf(projectId, activityId) },
        { projection: { agent: 1 } },
      );
      return activity?.agent ?? null;
    },

    /**
     * Versions of a parameter, newest first; without a chip, of every chip with such a target. Versions are numbered per
     * chip, and each chip has one current version.
     * @param wanted the maximum number, and the chip
     */
    async history(
      projectId: ProjectId,
      parameter_name: string,
      qid: string,
      wanted: number | { limit: number; chip_id: string | undefined },
    ): Promise<ProvenanceHistory> {
      const { limit, chip_id } = typeof wanted === 'number' ? { limit: wanted, chip_id: undefined } : wanted;
      const filter = {
        project_id: projectId,
        parameter_name,
        qid: provenanceQid(qid),
        ...(chip_id === undefined ? {} : { chip_id }),
      };
      const [versions, total] = await Promise.all([
        entities.find(filter).sort({ valid_from: -1, version: -1, entity_id: 1 }).limit(limit).toArray(),
        entities.countDocuments(filter),
      ]);
      return {
        parameter_name,
        qid: filter.qid,
        versions: versions.map(versionOf),
        total_versions: total,
      };
    },

    /** The newest version of a parameter that was not made by these tasks; null if there is none. */
    async newestExcept(
      projectId: ProjectId,
      { chip_id, parameter_name, qid }: { chip_id: string; parameter_name: string; qid: string },
      excluded: ReadonlySet<string>,
    ): Promise<Pick<EntityDocument, 'value' | 'error' | 'unit' | 'valid_from'> | null> {
      const versions = entities
        .find({ project_id: projectId, chip_id, parameter_name, qid: provenanceQid(qid) })
        .sort({ version: -1 })
        .project<Pick<EntityDocument, 'value' | 'error' | 'unit' | 'valid_from' | 'task_id'>>({
          _id: 0,
          value: 1,
          error: 1,
          unit: 1,
          valid_from: 1,
          task_id: 1,
        });
      for await (const version of versions) if (!excluded.has(version.task_id)) return version;
      return null;
    },

    /** Counts of a project's records, and its newest versions. */
    async stats(projectId: ProjectId): Promise<ProvenanceStats> {
      const project = { project_id: projectId };
      const [total_entities, total_activities, recent, ...counts] = await Promise.all([
        entities.countDocuments(project),
        activities.countDocuments(project),
        entities.find(project).sort({ valid_from: -1, entity_id: 1 }).limit(RECENT_VERSIONS).toArray(),
        ...relationTypes.map((relation_type) => relations.countDocuments({ ...project, relation_type })),
      ]);
      const byType = relationTypes.map((type, index) => [type, counts[index] ?? 0] as const);
      return {
        total_entities,
        total_activities,
        total_relations: byType.reduce((sum, [, count]) => sum + count, 0),
        relation_counts: Object.fromEntries(byType.filter(([, count]) => count > 0)),
        recent_entities: recent.map(versionOf),
      };
    },

    /** Executions that made versions, including imports and edits of values, newest first. */
    async executions(projectId: ProjectId, limit: number): Promise<ProvenanceExecutions> {
      // In the order of an index, so that the store can skip from one execution to the next.
      const found = await entities
        .aggregate<{ _id: ExecutionId; valid_from: Date }>([
          { $match: { project_id: projectId } },
          { $sort: { execution_id: 1, valid_from: -1 } },
          { $group: { _id: '$execution_id', valid_from: { $first: '$valid_from' } } },
          { $sort: { valid_from: -1, _id: -1 } },
          { $limit: limit },
        ])
        .toArray();
      return {
        executions: found.map(({ _id, valid_from }) => ({
          execution_id: _id,
          valid_from: isoTime(valid_from),
        })),
      };
    },
  };
}
