import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import type { ProvenanceCollections } from './collections.ts';
import type { EntityDocument, ParameterChanges, RelationDocument } from './model.ts';
import { differenceOf } from './rules.ts';

const HOUR_MS = 3_600_000;

/** What changed lately, and the values before. */
export function createRecentChanges({
  entities,
  relations,
}: Pick<ProvenanceCollections, 'entities' | 'relations'>) {
  /** Previous versions from relations, for versions of earlier releases that do not store them. */
  async function storedPrevious(projectId: ProjectId, ids: readonly string[]) {
    if (ids.length === 0) return [];
    return relations
      .find({ project_id: projectId, source_id: { $in: [...ids] }, relation_type: 'wasDerivedFrom' })
      .project<Pick<RelationDocument, 'source_id' | 'target_id'>>({ _id: 0, source_id: 1, target_id: 1 })
      .toArray();
  }

  /** The replaced values, by the entity id of the version that replaced them. */
  async function replacedBy(
    projectId: ProjectId,
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
    /** Versions of the last hours that replaced another one, newest first. An empty list of names selects all. */
    async changes(
      projectId: ProjectId,
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
