import type { ActivityDocument, EntityDocument } from '../../shared/domain/provenance/model.ts';
import { activityId, entityId } from '../../shared/domain/provenance/rules.ts';
import { keyOf } from '../../shared/kernel/ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';
import type { Figure } from './figure.ts';
import { fillingTime, openFilledLaboratory } from './filled-laboratory.ts';
import { insertMade } from './insert-many.ts';
import { timeReads } from './timed-reads.ts';

const VERSIONS = 1_000_000;
const SMALL_VERSIONS = 5_000;
const QUBITS = 144;
const PARAMETERS = 20;
/** Inputs of each task, of the same qubit. */
const INPUTS = 3;
/** Questions that go from the newest version to the middle one. */
const QUESTIONS = 200;
const DEPTH = 5;
const CHIP = 'CHIP';

/** Numbers that are as long as each other, so that names are in the order of their numbers. */
const inOrder = (number: number) => String(number).padStart(7, '0');

/** Where a version of the store stands: all qubits take turns, and each qubit's parameters. */
function placeOf(index: number) {
  const round = Math.floor(index / QUBITS);
  return {
    qid: String(index % QUBITS),
    parameter_name: `parameter_${inOrder(round % PARAMETERS)}`,
    version: Math.floor(round / PARAMETERS) + 1,
    execution_id: `execution-${inOrder(Math.floor(round / PARAMETERS))}`,
    task_id: `task-${inOrder(index)}`,
    task_name: `Task${inOrder(round % PARAMETERS)}`,
  };
}

function idOf(index: number): string {
  const { parameter_name, qid, execution_id, task_id } = placeOf(index);
  return entityId(parameter_name, qid, execution_id, task_id);
}

/** The versions of a store one by one; neighbours have neighbouring names, of versions or of activities. */
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

/**
 * Fills a project with versions, each made by one task from the newest values of its qubit: in the order of their
 * names, since a store that writes copies of what it changes is slow at any other. Lineage reads versions and
 * activities alone, so relations, which are most of what recording writes, are left out.
 */
async function fill({ database: { db } }: Laboratory, project_id: string, count: number): Promise<void> {
  const began = Date.now() - count * 1000;
  const chip = { project_id, chip_id: CHIP };
  const before = (index: number, steps: number) => index - steps * QUBITS;
  await insertMade(
    db.collection<EntityDocument>('provenance_entities'),
    inOrderOf('versions', count),
    (index) => {
      const { qid, ...place } = placeOf(index);
      const entity_id = idOf(index);
      const previous = before(index, PARAMETERS);
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
        previous: previous >= 0 ? idOf(previous) : null,
      };
    },
  );
  await insertMade(
    db.collection<ActivityDocument>('provenance_activities'),
    inOrderOf('activities', count),
    (index) => {
      const { qid, task_name, execution_id, task_id } = placeOf(index);
      const at = new Date(began + index * 1000);
      const activity_id = activityId(task_name, execution_id, task_id);
      return {
        _id: keyOf(project_id, activity_id),
        activity_id,
        ...chip,
        qid: `Q${qid}`,
        execution_id,
        task_id,
        task_name,
        task_type: 'qubit',
        started_at: at,
        ended_at: at,
        status: 'completed',
        used: Array.from({ length: INPUTS }, (_, input) => before(index, input + 1))
          .filter((input) => input >= 0)
          .map(idOf),
      };
    },
  );
}

/** Lineage and impact of versions out of a store with a million of them. */
export async function benchProvenance(small: boolean, kept: boolean): Promise<Figure[]> {
  const count = small ? SMALL_VERSIONS : VERSIONS;
  const { lab, project, seconds } = await openFilledLaboratory(`provenance_${count}`, kept, (empty, into) =>
    fill(empty, into, count),
  );
  const { provenance } = lab.areas;
  // Spread over the store, from its newest part down to its middle.
  const asked = (question: number) => idOf(count - 1 - Math.floor((question * count) / (2 * QUESTIONS)));
  let nodes = 0;
  try {
    const figures = await timeReads(
      [
        {
          name: `lineage of depth ${DEPTH}`,
          budget: 'p95 100 ms',
          ask: async (question) => {
            const found = await provenance.lineage(project, asked(question), DEPTH);
            nodes = Math.max(nodes, found?.nodes.length ?? 0);
          },
        },
        {
          name: `impact of depth ${DEPTH}`,
          budget: 'p95 100 ms',
          ask: (question) => provenance.impact(project, asked(question), DEPTH),
        },
      ],
      small,
    );
    return [
      { name: 'versions in the store', value: String(count) },
      { name: 'filled in', value: fillingTime(seconds) },
      { name: 'nodes of the largest lineage', value: String(nodes) },
      ...figures,
    ];
  } finally {
    await lab.close();
  }
}
