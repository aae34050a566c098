import type { Collection } from 'mongodb';
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import type { ActivityDocument, EntityDocument, RelationDocument } from './model.ts';

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
      {
        name: 'by_parameter_of_chip',
        key: {
          project_id: 1,
          chip_id: 1,
          parameter_name: 1,
          qid: 1,
          valid_from: -1,
          version: -1,
          entity_id: 1,
        },
      },
      { name: 'by_start_of_chip', key: { project_id: 1, chip_id: 1, valid_from: -1, entity_id: 1 } },
      { name: 'by_start', key: { project_id: 1, valid_from: -1, entity_id: 1 } },
      { name: 'by_execution', key: { project_id: 1, execution_id: 1, valid_from: -1 } },
      { name: 'by_end', key: { project_id: 1, parameter_name: 1, valid_until: 1, entity_id: 1 } },
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
      { name: 'by_type', key: { project_id: 1, relation_type: 1 } },
    ],
  },
  { collection: 'provenance_heads', indexes: [] },
];

/** Current version of each parameter of one target; `_id` is `<project>/<chip>/<qid>`. */
export interface HeadDocument {
  _id: string;
  /** Heads of 0.2.0 have no `valid_from`. */
  parameters: Record<string, { version: number; entity_id: string; valid_from?: Date }>;
}

export interface ProvenanceCollections {
  entities: Collection<EntityDocument>;
  activities: Collection<ActivityDocument>;
  relations: Collection<RelationDocument>;
  heads: Collection<HeadDocument>;
}

export function provenanceCollections(db: Db): ProvenanceCollections {
  return {
    entities: db.collection('provenance_entities'),
    activities: db.collection('provenance_activities'),
    relations: db.collection('provenance_relations'),
    heads: db.collection('provenance_heads'),
  };
}
