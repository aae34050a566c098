import type {
  ActivityDocument,
  EntityDocument,
  RelationDocument,
} from '../../shared/domain/provenance/model.ts';
import { activityId, entityId, relationKey } from '../../shared/domain/provenance/rules.ts';
import { keyOf, newId } from '../../shared/kernel/ids.ts';
import { type Laboratory, openLaboratory } from '../../test/support/laboratory.ts';
import type { Figure } from './figure.ts';

const VERSIONS = 1_000_000;
const SMALL_VERSIONS = 5_000;
const QUBITS = 144;
const PARAMETERS = 20;
/** Inputs of each task, of the same qubit. */
const INPUTS = 3;
/** Tasks that are stored at once. */
const BATCH = 2_000;
const QUESTIONS = 300;
const DEPTH = 5;
const CHIP = 'CHIP';

/** Where a version of the store stands: all qubits take turns, and each qubit's parameters. */
function placeOf(index: number) {
  const qid = String(index % QUBITS);
  const round = Math.floor(index / QUBITS);
  return {
    qid,
    parameter_name: `parameter_${round % PARAMETERS}`,
    version: Math.floor(round / PARAMETERS) + 1,
    execution_id: `execution-${Math.floor(index / (QUBITS * PARAMETERS))}`,
    task_id: `task-${index}`,
    task_name: `Task${round % PARAMETERS}`,
  };
}

function idOf(index: number): string {
  const { parameter_name, qid, execution_id, task_id } = placeOf(index);
  return entityId(parameter_name, qid, execution_id, task_id);
}

/** Fills a project with versions, each made by one task from the newest values of its qubit. */
async function fill({ database: { db } }: Laboratory, project_id: string, count: number): Promise<void> {
  const entities = db.collection<EntityDocument>('provenance_entities');
  const activities = db.collection<ActivityDocument>('provenance_activities');
  const relations = db.collection<RelationDocument>('provenance_relations');
  const began = Date.now() - count * 1000;
  for (let first = 0; first < count; first += BATCH) {
    const made: EntityDocument[] = [];
    const tasks: ActivityDocument[] = [];
    const edges: RelationDocument[] = [];
    for (let index = first; index < Math.min(first + BATCH, count); index += 1) {
      const { qid, ...place } = placeOf(index);
      const entity_id = idOf(index);
      const activity_id = activityId(place.task_name, place.execution_id, place.task_id);
      const at = new Date(began + index * 1000);
      const successor = index + QUBITS * PARAMETERS;
      const common = { project_id, chip_id: CHIP, qid: `Q${qid}` };
      made.push({
        _id: keyOf(project_id, entity_id),
        entity_id,
        ...common,
        ...place,
        value: index,
        value_type: 'float',
        unit: '',
        error: null,
        valid_from: at,
        valid_until: successor < count ? new Date(began + successor * 1000) : null,
      });
      tasks.push({
        _id: keyOf(project_id, activity_id),
        activity_id,
        ...common,
        execution_id: place.execution_id,
        task_id: place.task_id,
        task_name: place.task_name,
        task_type: 'qubit',
        started_at: at,
        ended_at: at,
        status: 'completed',
      });
      const relate = (
        relation_type: RelationDocument['relation_type'],
        source: [string, RelationDocument['source_type']],
        target: [string, RelationDocument['target_type']],
      ) => {
        const edge = { relation_type, source_id: source[0], target_id: target[0] };
        const _id = keyOf(project_id, relationKey(edge));
        edges.push({ _id, project_id, ...edge, source_type: source[1], target_type: target[1] });
      };
      relate('wasGeneratedBy', [entity_id, 'entity'], [activity_id, 'activity']);
      const previous = index - QUBITS * PARAMETERS;
      if (previous >= 0) relate('wasDerivedFrom', [entity_id, 'entity'], [idOf(previous), 'entity']);
      for (let input = 1; input <= INPUTS && index - input * QUBITS >= 0; input += 1) {
        relate('used', [activity_id, 'activity'], [idOf(index - input * QUBITS), 'entity']);
      }
    }
    await Promise.all([
      entities.insertMany(made, { ordered: false }),
      activities.insertMany(tasks, { ordered: false }),
      relations.insertMany(edges, { ordered: false }),
    ]);
  }
}

/** Lineage of versions out of a store with a million of them (issue "Provenance"). */
export async function benchProvenance(small: boolean): Promise<Figure[]> {
  const count = small ? SMALL_VERSIONS : VERSIONS;
  const lab = await openLaboratory();
  try {
    const project = newId();
    const filled = Date.now();
    await fill(lab, project, count);
    const filling = Date.now() - filled;
    const { provenance } = lab.areas;
    const times: number[] = [];
    let nodes = 0;
    for (let question = 0; question < (small ? QUESTIONS / 10 : QUESTIONS); question += 1) {
      // Spread over the store, from its newest part down to its middle.
      const index = count - 1 - Math.floor((question * count) / (2 * QUESTIONS));
      const asked = performance.now();
      const found = await provenance.lineage(project, idOf(index), DEPTH);
      times.push(performance.now() - asked);
      nodes = Math.max(nodes, found?.nodes.length ?? 0);
    }
    times.sort((a, b) => a - b);
    const share = (part: number) => `${(times[Math.floor(times.length * part)] ?? 0).toFixed(1)} ms`;
    return [
      { name: 'versions in the store', value: String(count) },
      { name: 'filled in', value: `${(filling / 1000).toFixed(0)} s` },
      { name: 'nodes of the largest lineage', value: String(nodes) },
      { name: `lineage of depth ${DEPTH}, median`, value: share(0.5) },
      { name: `lineage of depth ${DEPTH}, p95`, value: share(0.95), budget: '100 ms on mongod' },
    ];
  } finally {
    await lab.close();
  }
}
