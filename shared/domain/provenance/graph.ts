import { keyOf } from '../../kernel/ids.ts';
import type { ProvenanceCollections } from './collections.ts';
import type { Lineage, LineageEdge, LineageNode, Recommendations } from './model.ts';
import { recommendationsFrom, targetOfQid, walkBreadthFirst } from './rules.ts';
import { activityOf, versionOf } from './wire.ts';

/** Edges that one step of a walk follows. */
const EDGES_PER_STEP = 10_000;

/** Towards what a version was made from, or towards what was made from it. */
type Direction = 'ancestors' | 'descendants';

/** Walks over versions and activities: one question a step, whatever the number of nodes. */
export function createGraph({ entities, activities, relations, heads }: ProvenanceCollections) {
  function edgesFrom(
    projectId: string,
    direction: Direction,
    ids: readonly string[],
  ): Promise<readonly LineageEdge[]> {
    const found =
      direction === 'ancestors'
        ? relations
            .find({ project_id: projectId, source_id: { $in: [...ids] } })
            .sort({ source_id: 1, target_id: 1 })
        : relations
            .find({ project_id: projectId, target_id: { $in: [...ids] } })
            .sort({ target_id: 1, source_id: 1 });
    return found
      .limit(EDGES_PER_STEP)
      .project<LineageEdge>({ _id: 0, relation_type: 1, source_id: 1, target_id: 1 })
      .toArray();
  }

  /** What is stored of the nodes of a walk; one of which nothing is stored is left out. */
  async function describe(
    projectId: string,
    walked: readonly { id: string; depth: number }[],
  ): Promise<LineageNode[]> {
    const keys = walked.map(({ id }) => keyOf(projectId, id));
    const [foundEntities, foundActivities] = await Promise.all([
      entities.find({ _id: { $in: keys } }).toArray(),
      activities.find({ _id: { $in: keys } }).toArray(),
    ]);
    const entityById = new Map(foundEntities.map((entity) => [entity.entity_id, entity]));
    const activityById = new Map(foundActivities.map((activity) => [activity.activity_id, activity]));
    const headOf = ({ chip_id, qid }: { chip_id: string; qid: string }) =>
      keyOf(projectId, chip_id, targetOfQid(qid));
    const targets = [...new Set(foundEntities.map(headOf))];
    const headByKey = new Map(
      (await heads.find({ _id: { $in: targets } }).toArray()).map((head) => [head._id, head]),
    );
    return walked.flatMap(({ id, depth }): LineageNode[] => {
      const entity = entityById.get(id);
      const activity = activityById.get(id);
      if (!entity && !activity) return [];
      const current = entity && headByKey.get(headOf(entity))?.parameters[entity.parameter_name];
      return [
        {
          node_type: activity ? 'activity' : 'entity',
          node_id: id,
          depth,
          entity: entity ? versionOf(entity) : null,
          activity: activity ? activityOf(activity) : null,
          latest_version: entity && current && current.version > entity.version ? current.version : null,
        },
      ];
    });
  }

  async function graph(
    projectId: string,
    originId: string,
    maxDepth: number,
    direction: Direction,
  ): Promise<Lineage | null> {
    if (!(await entities.findOne({ _id: keyOf(projectId, originId) }, { projection: { _id: 1 } })))
      return null;
    const walk = await walkBreadthFirst(originId, {
      maxDepth,
      edgesFrom: (ids) => edgesFrom(projectId, direction, ids),
      towards: (edge) => (direction === 'ancestors' ? edge.target_id : edge.source_id),
      edgeLimit: EDGES_PER_STEP,
    });
    const nodes = await describe(projectId, walk.nodes);
    const known = new Set(nodes.map(({ node_id }) => node_id));
    const [origin] = nodes;
    return origin
      ? {
          origin,
          nodes,
          edges: walk.edges.filter((edge) => known.has(edge.source_id) && known.has(edge.target_id)),
          max_depth: maxDepth,
          truncated: walk.truncated,
        }
      : null;
  }

  return {
    /** Ancestors of a version up to `maxDepth` edges away; null when there is no such version. */
    lineage: (projectId: string, originId: string, maxDepth: number) =>
      graph(projectId, originId, maxDepth, 'ancestors'),

    /** What was made from a version, up to `maxDepth` edges away; null when there is no such version. */
    impact: (projectId: string, originId: string, maxDepth: number) =>
      graph(projectId, originId, maxDepth, 'descendants'),

    /** Tasks to run again after a version was found wrong; null when there is no such version. */
    async recommendations(
      projectId: string,
      originId: string,
      maxDepth: number,
    ): Promise<Recommendations | null> {
      const impact = await graph(projectId, originId, maxDepth, 'descendants');
      return impact && recommendationsFrom(impact);
    },
  };
}
