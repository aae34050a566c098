import type {
  ActivityDocument,
  EntityDocument,
  LineageEdge,
  RelationDocument,
} from '../../shared/domain/provenance/model.ts';
import {
  activityId,
  edgesOfActivity,
  edgesOfVersion,
  entityId,
  relationKey,
} from '../../shared/domain/provenance/rules.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { executionNamed, taskNamed } from '../../test/support/ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';
import type { Figure } from './figure.ts';
import { fillingTime, openFilledLaboratory } from './filled-laboratory.ts';
import { insertMade } from './insert-many.ts';
import { timeReads } from './timed-reads.ts';

const VERSIONS = 1_000_000;
const SMALL_VERSIONS = 5_000;
const QUBITS = 144;
const PARAMETERS = 20;
/** Inputs per task, all of the same qubit. */
const INPUTS = 3;
/** Number of queries, spread from the newest version to the middle one. */
const QUESTIONS = 200;
const DEPTH = 5;
const CHIP = 'CHIP';

/** Zero-padded numbers, so that names sort numerically. */
const inOrder = (number: number) => String(number).padStart(7, '0');

/** Qubit and parameter of a version. Qubits alternate, and so do the parameters of each qubit. */
function placeOf(index: number) {
  const round = Math.floor(index / QUBITS);
  return {
    qid: String(index % QUBITS),
    parameter_name: `parameter_${inOrder(round % PARAMETERS)}`,
    version: Math.floor(round / PARAMETERS) + 1,
    execution_id: executionNamed(`execution-${inOrder(Math.floor(round / PARAMETERS))}`),
    task_id: taskNamed(`task-${inOrder(index)}`),
    task_name: `Task${inOrder(round % PARAMETERS)}`,
  };
}

function idOf(index: number): string {
  const { parameter_name, qid, execution_id, task_id } = placeOf(index);
  return entityId(parameter_name, qid, executionNamed(execution_id), taskNamed(task_id));
}

const before = (index: number, steps: number) => index - steps * QUBITS;

/** The previous version of the same parameter. */
function previousOf(index: number): string | null {
  const previous = before(index, PARAMETERS);
  return previous >= 0 ? idOf(previous) : null;
}

/** The versions that a task used as inputs. */
const usedBy = (index: number) =>
  Array.from({ length: INPUTS }, (_, input) => before(index, input + 1))
    .filter((input) => input >= 0)
    .map(idOf);

/** Indexes of all versions, in the order of the names of their versions or activities. */
function* inOrderOf(kind: 'versions' | 'activities', count: number): Generator<number> {
  const versions = Math.ceil(count / (QUBITS * PARAMETERS));
  const [outer, inner] = kind === 'versions' ? [QUBITS, versions] : [versions, QUBITS];
  for (let parameter = 0; parameter < PARAMETERS; parameter += 1) {
    for (let slow = 0; slow < outer; slow += 1) {
      for (let fast = 0; fast < inner; fast += 1) {
        const [qubit, version] = kind === 'versions' ? [slow, fast] : [fast, slow];
        const index = (version * PARAMETERS + parameter) * QUBITS + qubit;
        if (index < count) yield index;
      }
    }
  }
}

/** The relations of a store, grouped by type, in the order of their names. */
function* relationsOf(count: number): Generator<LineageEdge> {
  for (const index of inOrderOf('activities', count)) {
    const { task_name, execution_id, task_id } = placeOf(index);
    const activity_id = activityId(task_name, executionNamed(execution_id), taskNamed(task_id));
    yield* edgesOfActivity({ activity_id, used: usedBy(index).sort() }) ?? [];
  }
  for (const type of ['wasDerivedFrom', 'wasGeneratedBy']) {
    for (const index of inOrderOf('versions', count)) {
      const version = { ...placeOf(index), entity_id: idOf(index), previous: previousOf(index) };
      yield* (edgesOfVersion(version) ?? []).filter(({ relation_type }) => relation_type === type);
    }
  }
}

/**
 * Fills a project with versions, each created by one task from the newest values of its qubit. Inserts in the order of
 * their names, because a copy-on-write store is slow in any other order. Lineage reads only versions and activities;
 * impact follows the relations, which are most of the stored data.
 */
async function fill({ database: { db } }: Laboratory, project_id: ProjectId, count: number): Promise<void> {
  const began = Date.now() - count * 1000;
  const chip = { project_id, chip_id: CHIP };
  await insertMade(
    db.collection<EntityDocument>('provenance_entities'),
    inOrderOf('versions', count),
    (index) => {
      const { qid, ...place } = placeOf(index);
      const entity_id = idOf(index);
      const successor = before(index, -PARAMETERS);
      return {
        _id: keyOf(project_id, entity_id),
        entity_id,
        ...chip,
        ...place,
        qid: `Q${qid}`,
        value: index,
        value_type: 'float',
        unit: '',
        error: null,
        valid_from: new Date(began + index * 1000),
        valid_until: successor < count ? new Date(began + successor * 1000) : null,
        previous: previousOf(index),
      };
    },
  );
  await insertMade(
    db.collection<ActivityDocument>('provenance_activities'),
    inOrderOf('activities', count),
    (index) => {
      const { qid, task_name, execution_id, task_id } = placeOf(index);
      const at = new Date(began + index * 1000);
      const activity_id = activityId(task_name, executionNamed(execution_id), taskNamed(task_id));
      return {
        _id: keyOf(project_id, activity_id),
        activity_id,
        ...chip,
        qid: `Q${qid}`,
        execution_id: executionNamed(execution_id),
        task_id: taskNamed(task_id),
        task_name,
        task_type: 'qubit',
        started_at: at,
        ended_at: at,
        status: 'completed',
        used: usedBy(index),
      };
    },
  );
  await insertMade(
    db.collection<RelationDocument>('provenance_relations'),
    relationsOf(count),
    (edge): RelationDocument => ({
      _id: keyOf(project_id, relationKey(edge)),
      project_id,
      ...edge,
      source_type: edge.relation_type === 'used' ? 'activity' : 'entity',
      target_type: edge.relation_type === 'wasGeneratedBy' ? 'activity' : 'entity',
    }),
  );
}

/** Lineage and impact queries on a store with a million versions. */
export async function benchProvenance(small: boolean, kept: boolean): Promise<Figure[]> {
  const count = small ? SMALL_VERSIONS : VERSIONS;
  const { lab, project, seconds } = await openFilledLaboratory(
    `provenance_and_relations_${count}`,
    kept,
    (empty, into) => fill(empty, into, count),
  );
  const { provenance } = lab.areas;
  // Spread over the newer half of the store: from the end downwards, or from the middle upwards, where versions have the
  // most later uses.
  const step = (question: number) => Math.floor((question * count) / (2 * QUESTIONS));
  const fromEnd = (question: number) => idOf(count - 1 - step(question));
  const fromMiddle = (question: number) => idOf(Math.floor(count / 2) + step(question));
  let nodes = 0;
  let impacted = 0;
  try {
    const figures = await timeReads(
      [
        {
          name: `lineage of depth ${DEPTH}`,
          budget: 'p95 100 ms',
          ask: async (question) => {
            const found = await provenance.lineage(project, fromEnd(question), DEPTH);
            nodes = Math.max(nodes, found?.nodes.length ?? 0);
          },
        },
        {
          name: `impact of depth ${DEPTH}`,
          budget: 'p95 100 ms',
          ask: async (question) => {
            const found = await provenance.impact(project, fromMiddle(question), DEPTH);
            impacted = Math.max(impacted, found?.nodes.length ?? 0);
          },
        },
      ],
      { small },
    );
    return [
      { name: 'versions in the store', value: String(count) },
      { name: 'filled in', value: fillingTime(seconds) },
      { name: 'nodes of the largest lineage', value: String(nodes) },
      { name: 'nodes of the largest impact', value: String(impacted) },
      ...figures,
    ];
  } finally {
    await lab.close();
  }
}
