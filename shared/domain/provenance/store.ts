import type { Db } from 'mongodb';
import { type CollectionIndexes, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type {
  ActivityDocument,
  EntityDocument,
  Lineage,
  LineageEdge,
  LineageNode,
  ParameterVersion,
  ProvenanceHistory,
  RelationDocument,
} from './model.ts';
import { activityId, entityId, provenanceQid, relationKey, walkBreadthFirst } from './rules.ts';
import { activityOf, versionOf } from './wire.ts';

export const provenanceIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'provenance_entities',
    indexes: [
      { name: 'by_entity', key: { project_id: 1, entity_id: 1 }, unique: true },
      {
        name: 'by_version',
        key: { project_id: 1, chip_id: 1, parameter_name: 1, qid: 1, version: 1 },
        unique: true,
      },
      {
        name: 'by_parameter',
        key: { project_id: 1, parameter_name: 1, qid: 1, valid_from: -1, version: -1, entity_id: 1 },
      },
    ],
  },
  {
    collection: 'provenance_activities',
    indexes: [{ name: 'by_activity', key: { project_id: 1, activity_id: 1 }, unique: true }],
  },
  {
    collection: 'provenance_relations',
    indexes: [
      { name: 'by_source', key: { project_id: 1, source_id: 1, target_id: 1 } },
      { name: 'by_target', key: { project_id: 1, target_id: 1, source_id: 1 } },
    ],
  },
  { collection: 'provenance_heads', indexes: [] },
];

/** Current version of each parameter of one target; `_id` is `<project>/<chip>/<qid>`. */
interface HeadDocument {
  _id: string;
  parameters: Record<string, { version: number; entity_id: string }>;
}

/** A value that became calibration state. */
export interface OutputValue {
  parameter_name: string;
  value: number | string;
  value_type: string;
  unit: string;
  error: number | null;
}

/** A finished task, its outputs, and the versions of its inputs as they were when it started. */
export interface EndedTask {
  project_id: string;
  chip_id: string;
  execution_id: string;
  task_id: string;
  task_name: string;
  task_type: string;
  qid: string;
  status: string;
  started_at: Date | null;
  ended_at: Date;
  outputs: readonly OutputValue[];
  used_entities: readonly string[];
}

const VERSION_ATTEMPTS = 20;

export type ProvenanceStore = ReturnType<typeof createProvenanceStore>;

/** Versions of calibration values, the activities that made them, and how they relate. */
export function createProvenanceStore(db: Db) {
  const entities = db.collection<EntityDocument>('provenance_entities');
  const activities = db.collection<ActivityDocument>('provenance_activities');
  const relations = db.collection<RelationDocument>('provenance_relations');
  const heads = db.collection<HeadDocument>('provenance_heads');

  /** Inserts the versions that are missing; those of an earlier try keep their numbers. */
  async function insertVersions(
    task: EndedTask,
    headKey: string,
  ): Promise<Map<string, { document: EntityDocument; previous: string | null }>> {
    const qid = provenanceQid(task.qid);
    const ids = task.outputs.map((output) =>
      keyOf(task.project_id, entityId(output.parameter_name, task.qid, task.execution_id, task.task_id)),
    );
    for (let attempt = 1; ; attempt += 1) {
      const [head, stored] = await Promise.all([
        heads.findOne({ _id: headKey }),
        entities.find({ _id: { $in: ids } }).toArray(),
      ]);
      const known = new Map(stored.map((entity) => [entity.parameter_name, entity]));
      const versions = new Map(
        task.outputs.map((output) => {
          const current = head?.parameters[output.parameter_name];
          const id = entityId(output.parameter_name, task.qid, task.execution_id, task.task_id);
          const document = known.get(output.parameter_name) ?? {
            _id: keyOf(task.project_id, id),
            entity_id: id,
            ...output,
            qid,
            version: (current?.version ?? 0) + 1,
            valid_from: task.ended_at,
            valid_until: null,
            execution_id: task.execution_id,
            task_id: task.task_id,
            task_name: task.task_name,
            project_id: task.project_id,
            chip_id: task.chip_id,
          };
          // A late repeat of an old task finds a newer version here: that one is no ancestor.
          const previous = current && current.version < document.version ? current.entity_id : null;
          return [output.parameter_name, { document, previous }] as const;
        }),
      );
      const missing = [...versions.values()].filter(({ document }) => !known.has(document.parameter_name));
      if (missing.length === 0) return versions;
      try {
        await entities.insertMany(missing.map(({ document }) => document));
        return versions;
      } catch (thrown) {
        if (!isDuplicateKey(thrown) || attempt >= VERSION_ATTEMPTS) throw thrown;
        await mendHead(task, headKey);
      }
    }
  }

  /** Brings a head up to the versions that a writer stored before it stopped half way. */
  async function mendHead(task: EndedTask, headKey: string): Promise<void> {
    const newest = await Promise.all(
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
    await raiseHead(
      headKey,
      newest.filter((entity) => entity !== null),
    );
  }

  /** Points the head at versions, never back to an older one. */
  async function raiseHead(headKey: string, versions: readonly EntityDocument[]): Promise<void> {
    if (versions.length === 0) return;
    const older = versions.map(({ parameter_name, version }) => {
      const field = `parameters.${parameter_name}.version`;
      return { $or: [{ [field]: { $exists: false } }, { [field]: { $lt: version } }] };
    });
    const set = Object.fromEntries(
      versions.map(({ parameter_name, version, entity_id }) => [
        `parameters.${parameter_name}`,
        { version, entity_id },
      ]),
    );
    const raised = await heads.updateOne({ _id: headKey, $and: older }, { $set: set });
    if (raised.matchedCount === 1) return;
    // The target's first head, or one that is newer in some parameter: one by one.
    await retryDuplicateKey(() =>
      heads.updateOne({ _id: headKey }, { $setOnInsert: { parameters: {} } }, { upsert: true }),
    );
    await heads.bulkWrite(
      versions.map(({ parameter_name, version, entity_id }, position) => ({
        updateOne: {
          filter: { _id: headKey, ...older[position] },
          update: { $set: { [`parameters.${parameter_name}`]: { version, entity_id } } },
        },
      })),
    );
  }

  return {
    /**
     * Adds a task that ended: its activity, a new version of each output, and their relations:
     * wasGeneratedBy, wasDerivedFrom (the parameter's previous version) and used (input versions).
     * Keyed by task id, so a repeat completes what an earlier try left undone and doubles nothing.
     */
    async add(task: EndedTask): Promise<void> {
      const activity = activityId(task.task_name, task.execution_id, task.task_id);
      const headKey = keyOf(task.project_id, task.chip_id, task.qid);
      const storedActivity = activities.updateOne(
        { _id: keyOf(task.project_id, activity) },
        {
          $set: {
            project_id: task.project_id,
            activity_id: activity,
            execution_id: task.execution_id,
            task_id: task.task_id,
            task_name: task.task_name,
            task_type: task.task_type,
            qid: provenanceQid(task.qid),
            started_at: task.started_at,
            ended_at: task.ended_at,
            status: task.status,
            chip_id: task.chip_id,
          },
        },
        { upsert: true },
      );
      const [versions] = await Promise.all([
        task.outputs.length === 0 ? new Map<string, never>() : insertVersions(task, headKey),
        storedActivity,
      ]);
      const closing = [...versions.values()].flatMap(({ document, previous }) =>
        previous === null
          ? []
          : [
              {
                updateOne: {
                  filter: { _id: keyOf(task.project_id, previous), valid_until: null },
                  update: { $set: { valid_until: document.valid_from } },
                },
              },
            ],
      );
      const closed = closing.length > 0 ? entities.bulkWrite(closing) : null;
      const edges: Omit<RelationDocument, '_id' | 'project_id'>[] = [
        ...task.used_entities.map((used) => ({
          relation_type: 'used' as const,
          source_id: activity,
          source_type: 'activity' as const,
          target_id: used,
          target_type: 'entity' as const,
        })),
        ...[...versions.values()].flatMap(({ document, previous }) => [
          {
            relation_type: 'wasGeneratedBy' as const,
            source_id: document.entity_id,
            source_type: 'entity' as const,
            target_id: activity,
            target_type: 'activity' as const,
          },
          ...(previous === null
            ? []
            : [
                {
                  relation_type: 'wasDerivedFrom' as const,
                  source_id: document.entity_id,
                  source_type: 'entity' as const,
                  target_id: previous,
                  target_type: 'entity' as const,
                },
              ]),
        ]),
      ];
      const related =
        edges.length > 0
          ? relations.bulkWrite(
              edges.map((edge) => ({
                updateOne: {
                  filter: { _id: keyOf(task.project_id, relationKey(edge)) },
                  update: { $setOnInsert: { project_id: task.project_id, ...edge } },
                  upsert: true,
                },
              })),
              { ordered: false },
            )
          : null;
      await Promise.all([closed, related]);
      await raiseHead(
        headKey,
        [...versions.values()].map(({ document }) => document),
      );
    },

    async entity(projectId: string, id: string): Promise<ParameterVersion | null> {
      const document = await entities.findOne({ _id: keyOf(projectId, id) });
      return document ? versionOf(document) : null;
    },

    /** Versions of a parameter, newest first; `chip_id` narrows where several chips share a qid. */
    async history(
      projectId: string,
      parameterName: string,
      qid: string,
      limit: number,
    ): Promise<ProvenanceHistory> {
      const filter = { project_id: projectId, parameter_name: parameterName, qid: provenanceQid(qid) };
      const [versions, total] = await Promise.all([
        entities.find(filter).sort({ valid_from: -1, version: -1, entity_id: 1 }).limit(limit).toArray(),
        entities.countDocuments(filter),
      ]);
      return {
        parameter_name: parameterName,
        qid: filter.qid,
        versions: versions.map(versionOf),
        total_versions: total,
      };
    },

    /** Ancestors of a version up to `maxDepth` edges away; null when there is no such version. */
    async lineage(projectId: string, origin: string, maxDepth: number): Promise<Lineage | null> {
      if (!(await entities.findOne({ _id: keyOf(projectId, origin) }, { projection: { _id: 1 } })))
        return null;
      const walk = await walkBreadthFirst(origin, {
        maxDepth,
        edgesFrom: (ids) =>
          relations
            .find({ project_id: projectId, source_id: { $in: [...ids] } })
            .project<LineageEdge>({ _id: 0, relation_type: 1, source_id: 1, target_id: 1 })
            .sort({ source_id: 1, target_id: 1 })
            .toArray(),
        towards: (edge) => edge.target_id,
      });
      const keys = walk.nodes.map(({ id }) => keyOf(projectId, id));
      const [foundEntities, foundActivities] = await Promise.all([
        entities.find({ _id: { $in: keys } }).toArray(),
        activities.find({ _id: { $in: keys } }).toArray(),
      ]);
      const entityById = new Map(foundEntities.map((entity) => [entity.entity_id, entity]));
      const activityById = new Map(foundActivities.map((activity) => [activity.activity_id, activity]));
      const targets = [
        ...new Set(foundEntities.map((entity) => keyOf(projectId, entity.chip_id, headQid(entity.qid)))),
      ];
      const headByKey = new Map(
        (await heads.find({ _id: { $in: targets } }).toArray()).map((head) => [head._id, head]),
      );
      const nodes = walk.nodes.map(({ id, depth }): LineageNode => {
        const entity = entityById.get(id);
        const activity = activityById.get(id);
        const current = entity
          ? headByKey.get(keyOf(projectId, entity.chip_id, headQid(entity.qid)))?.parameters[
              entity.parameter_name
            ]
          : undefined;
        return {
          node_type: activity ? 'activity' : 'entity',
          node_id: id,
          depth,
          entity: entity ? versionOf(entity) : null,
          activity: activity ? activityOf(activity) : null,
          latest_version: entity && current && current.version > entity.version ? current.version : null,
        };
      });
      const first = nodes[0];
      return first
        ? { origin: first, nodes, edges: walk.edges, max_depth: maxDepth, truncated: walk.truncated }
        : null;
    },
  };
}

/** Heads are kept under the target's own name: `Q0-Q1` → `0-1`. */
function headQid(qid: string): string {
  return qid.replaceAll('Q', '');
}
