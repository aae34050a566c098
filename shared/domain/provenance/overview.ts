import { keyOf } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type { ProvenanceCollections } from './collections.ts';
import type {
  Agent,
  ComparedParameter,
  Comparison,
  EntityDocument,
  ParameterChanges,
  ParameterVersion,
  ProvenanceExecutions,
  ProvenanceHistory,
  ProvenanceStats,
  RelationDocument,
} from './model.ts';
import { relationTypes } from './model.ts';
import { byParameterAndTarget, differenceOf, provenanceQid } from './rules.ts';
import { versionOf } from './wire.ts';

/** Number of recent versions in the statistics. */
const RECENT_VERSIONS = 100;
const HOUR_MS = 3_600_000;

type Value = ParameterVersion['value'];

/** Queries about versions that need no walk through the graph. */
export function createOverview({ entities, activities, relations }: ProvenanceCollections) {
  /** The newest value of each parameter that an execution recorded. */
  async function valuesOf(projectId: string, executionId: string) {
    const found = await entities
      .find({ project_id: projectId, execution_id: executionId })
      .sort({ valid_from: -1 })
      .project<Pick<EntityDocument, 'parameter_name' | 'qid' | 'value' | 'version'>>({
        _id: 0,
        parameter_name: 1,
        qid: 1,
        value: 1,
        version: 1,
      })
      .toArray();
    const values = new Map<string, (typeof found)[number]>();
    for (const each of found) {
      const key = `${each.parameter_name}:${each.qid}`;
      const other = values.get(key);
      if (!other || other.version < each.version) values.set(key, each);
    }
    return values;
  }

  /** Previous versions from relations, for versions of earlier releases that do not store them. */
  async function storedPrevious(projectId: string, ids: readonly string[]) {
    if (ids.length === 0) return [];
    return relations
      .find({ project_id: projectId, source_id: { $in: [...ids] }, relation_type: 'wasDerivedFrom' })
      .project<Pick<RelationDocument, 'source_id' | 'target_id'>>({ _id: 0, source_id: 1, target_id: 1 })
      .toArray();
  }

  /** The replaced values, by the entity id of the version that replaced them. */
  async function replacedBy(
    projectId: string,
    versions: readonly EntityDocument[],
  ): Promise<Map<string, Pick<EntityDocument, 'value' | 'error'>>> {
    const silent = versions.filter(({ previous }) => previous === undefined);
    const derived = [
      ...versions.flatMap(({ entity_id, previous }) =>
        previous ? [{ source_id: entity_id, target_id: previous }] : [],
      ),
      ...(await storedPrevious(
        projectId,
        silent.map(({ entity_id }) => entity_id),
      )),
    ];
    const found = await entities
      .find({ _id: { $in: derived.map(({ target_id }) => keyOf(projectId, target_id)) } })
      .project<Pick<EntityDocument, 'entity_id' | 'value' | 'error'>>({ entity_id: 1, value: 1, error: 1 })
      .toArray();
    const byId = new Map(found.map((each) => [each.entity_id, each]));
    return new Map(
      derived.flatMap(({ source_id, target_id }) => {
        const previous = byId.get(target_id);
        return previous ? [[source_id, previous] as const] : [];
      }),
    );
  }

  return {
    /** One version; null if there is none with this id. */
    async entity(projectId: string, id: string): Promise<ParameterVersion | null> {
      const document = await entities.findOne({ _id: keyOf(projectId, id) });
      return document ? versionOf(document) : null;
    },

    /** The agent of an activity; null if unknown. */
    async agent(projectId: string, activityId: string): Promise<Agent | null> {
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
      projectId: string,
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
      projectId: string,
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

    /** Compares the values of two executions by parameter; an unknown execution has no values. */
    async compare(projectId: string, before: string, after: string): Promise<Comparison> {
      const [old, young] = await Promise.all([valuesOf(projectId, before), valuesOf(projectId, after)]);
      const compared = [...new Map([...old, ...young])].map(([key, { parameter_name, qid }]) => {
        const value_before: Value | null = old.get(key)?.value ?? null;
        const value_after: Value | null = young.get(key)?.value ?? null;
        return {
          parameter_name,
          qid,
          value_before,
          value_after,
          ...differenceOf(value_before, value_after),
        };
      });
      compared.sort(byParameterAndTarget);
      const those = (wanted: (each: ComparedParameter) => boolean) => compared.filter(wanted);
      return {
        execution_id_before: before,
        execution_id_after: after,
        added_parameters: those((each) => each.value_before === null),
        removed_parameters: those((each) => each.value_after === null),
        changed_parameters: those(
          (each) =>
            each.value_before !== null && each.value_after !== null && each.value_before !== each.value_after,
        ),
        unchanged_count: those((each) => each.value_before === each.value_after).length,
      };
    },

    /** Counts of a project's records, and its newest versions. */
    async stats(projectId: string): Promise<ProvenanceStats> {
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
    async executions(projectId: string, limit: number): Promise<ProvenanceExecutions> {
      // In the order of an index, so that the store can skip from one execution to the next.
      const found = await entities
        .aggregate<{ _id: string; valid_from: Date }>([
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

    /** Versions of the last hours that replaced another one, newest first. An empty list of names selects all. */
    async changes(
      projectId: string,
      wanted: { limit: number; hours: number; names: readonly string[]; chip_id?: string | undefined },
    ): Promise<ParameterChanges> {
      const filter = {
        project_id: projectId,
        valid_from: { $gte: new Date(Date.now() - wanted.hours * HOUR_MS) },
        version: { $gt: 1 },
        ...(wanted.chip_id === undefined ? {} : { chip_id: wanted.chip_id }),
        ...(wanted.names.length > 0 && { parameter_name: { $in: [...wanted.names] } }),
      };
      const [found, total_count] = await Promise.all([
        entities.find(filter).sort({ valid_from: -1, entity_id: 1 }).limit(wanted.limit).toArray(),
        entities.countDocuments(filter),
      ]);
      const replaced = await replacedBy(projectId, found);
      return {
        changes: found.map((entity) => {
          const previous = replaced.get(entity.entity_id);
          return {
            entity_id: entity.entity_id,
            parameter_name: entity.parameter_name,
            chip_id: entity.chip_id,
            qid: entity.qid,
            value: entity.value,
            previous_value: previous?.value ?? null,
            ...differenceOf(previous?.value ?? null, entity.value),
            unit: entity.unit,
            error: entity.error ?? 0,
            previous_error: previous ? (previous.error ?? 0) : null,
            version: entity.version,
            valid_from: isoTime(entity.valid_from),
            task_name: entity.task_name,
            execution_id: entity.execution_id,
          };
        }),
        total_count,
      };
    },
  };
}
