import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ProvenanceCollections } from './collections.ts';
import type {
  ActivityDocument,
  EntityDocument,
  Lineage,
  LineageEdge,
  LineageNode,
  Recommendations,
} from './model.ts';
import {
  compareText,
  edgesOfActivity,
  edgesOfVersion,
  recommendationsFrom,
  targetOfQid,
  walkBreadthFirst,
} from './rules.ts';
import { activityOf, versionOf } from './wire.ts';

/** Maximum number of edges that one step of a walk follows. */
const EDGES_PER_STEP = 10_000;

/** Ancestors: what a version was made from. Descendants: what was made from it. */
type Direction = 'ancestors' | 'descendants';

/** Order in which a walk follows edges. */
function bySource(a: LineageEdge, b: LineageEdge): number {
  return compareText(a.source_id, b.source_id) || compareText(a.target_id, b.target_id);
}

/** Walks over versions and activities, with a fixed number of queries per step, independent of the number of nodes. */
export function createGraph({ entities, activities, relations, heads }: ProvenanceCollections) {
  /** Loads the nodes of a walk by `_id`, each document once. */
  function nodesIn(projectId: ProjectId) {
    const entityById = new Map<string, EntityDocument>();
    const activityById = new Map<string, ActivityDocument>();
    const asked = new Set<string>();

    return {
      entityById,
      activityById,
      async load(ids: readonly string[]): Promise<void> {
        const wanted = ids.filter((id) => !asked.has(id));
        if (wanted.length === 0) return;
        const keys = wanted.map((id) => keyOf(projectId, id));
        const [foundEntities, foundActivities] = await Promise.all([
          entities.find({ _id: { $in: keys } }).toArray(),
          activities.find({ _id: { $in: keys } }).toArray(),
        ]);
        for (const id of wanted) asked.add(id);
        for (const each of foundEntities) entityById.set(each.entity_id, each);
        for (const each of foundActivities) activityById.set(each.activity_id, each);
      },
    };
  }

  type Nodes = ReturnType<typeof nodesIn>;

  /**
   * Edges to what nodes were made from, as stored in the nodes. Relations are queried only for nodes of releases that
   * stored edges there alone.
   */
  async function edgesToAncestors(
    projectId: ProjectId,
    nodes: Nodes,
    ids: readonly string[],
  ): Promise<readonly LineageEdge[]> {
    await nodes.load(ids);
    const silent: string[] = [];
    const edges = ids.flatMap((id) => {
      const entity = nodes.entityById.get(id);
      const activity = nodes.activityById.get(id);
      const own = entity ? edgesOfVersion(entity) : activity ? edgesOfActivity(activity) : [];
      if (own === null) silent.push(id);
      return own ?? [];
    });
    if (silent.length > 0) edges.push(...(await storedEdges('source_id', projectId, silent)));
    return edges.sort(bySource).slice(0, EDGES_PER_STEP);
  }

  function storedEdges(
    end: 'source_id' | 'target_id',
    projectId: ProjectId,
    ids: readonly string[],
  ): Promise<LineageEdge[]> {
    return relations
      .find({ project_id: projectId, [end]: { $in: [...ids] } })
      .sort(end === 'source_id' ? { source_id: 1, target_id: 1 } : { target_id: 1, source_id: 1 })
      .limit(EDGES_PER_STEP)
      .project<LineageEdge>({ _id: 0, relation_type: 1, source_id: 1, target_id: 1 })
      .toArray();
  }

  /** The stored data of a walk's nodes; nodes without any are left out. */
  async function describe(
    projectId: ProjectId,
    nodes: Nodes,
    walked: readonly { id: string; depth: number }[],
  ): Promise<LineageNode[]> {
    await nodes.load(walked.map(({ id }) => id));
    const headOf = ({ chip_id, qid }: { chip_id: string; qid: string }) =>
      keyOf(projectId, chip_id, targetOfQid(qid));
    const met = walked.flatMap(({ id }) => nodes.entityById.get(id) ?? []);
    const targets = [...new Set(met.map(headOf))];
    const headByKey = new Map(
      (await heads.find({ _id: { $in: targets } }).toArray()).map((head) => [head._id, head]),
    );
    return walked.flatMap(({ id, depth }): LineageNode[] => {
      const entity = nodes.entityById.get(id);
      const activity = nodes.activityById.get(id);
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
    projectId: ProjectId,
    originId: string,
    maxDepth: number,
    direction: Direction,
  ): Promise<Lineage | null> {
    const stored = nodesIn(projectId);
    await stored.load([originId]);
    if (!stored.entityById.has(originId)) return null;
    const walk = await walkBreadthFirst(originId, {
      maxDepth,
      edgesFrom: (ids) =>
        direction === 'ancestors'
          ? edgesToAncestors(projectId, stored, ids)
          : storedEdges('target_id', projectId, ids),
      towards: (edge) => (direction === 'ancestors' ? edge.target_id : edge.source_id),
      edgeLimit: EDGES_PER_STEP,
    });
    const nodes = await describe(projectId, stored, walk.nodes);
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
    /** Ancestors of a version up to `maxDepth` edges away; null if there is no such version. */
    lineage: (projectId: ProjectId, originId: string, maxDepth: number) =>
      graph(projectId, originId, maxDepth, 'ancestors'),

    /** Descendants of a version up to `maxDepth` edges away; null if there is no such version. */
    impact: (projectId: ProjectId, originId: string, maxDepth: number) =>
      graph(projectId, originId, maxDepth, 'descendants'),

    /** Tasks to run again after a version was found wrong; null if there is no such version. */
    async recommendations(
      projectId: ProjectId,
      originId: string,
      maxDepth: number,
    ): Promise<Recommendations | null> {
      const impact = await graph(projectId, originId, maxDepth, 'descendants');
      return impact && recommendationsFrom(impact);
    },
  };
}
