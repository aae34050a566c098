import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { entityTagOfState } from '../../kernel/state-tags.ts';
import { QUBITS_PER_MUX } from '../../science/conventions/multiplexer.ts';
import { muxOf } from '../../science/topology/rules.ts';
import { taskCatalog } from '../../tasks/catalog.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { Mux } from './model.ts';
import { targetsTagged } from './rules.ts';
import type { createChipStore } from './store.ts';
import { muxEntryOf } from './wire.ts';

/** Tasks that are shown for each qubit of a multiplexer. */
const allTasks = taskCatalog.map((task) => task.name);
/** Tasks that may have results on qubits: tasks of the boxes have a result on each qubit that they were done for. */
const tasksOnQubits = taskCatalog.filter((task) => task.taskType !== 'coupling').map((task) => task.name);

/** Qubits of chips by the multiplexer that reads them out: four consecutive ids each; the last may have fewer. */
export function createMuxes(
  chips: Pick<ReturnType<typeof createChipStore>, 'allQubitIds' | 'mustGet'>,
  results: Pick<TaskResultStore, 'latestOfTasks' | 'stateOfChip'>,
  /** Root of the calibration data. */
  root: string,
) {
  async function qubitsByMux(projectId: ProjectId, chipId: string): Promise<Map<number, string[]>> {
    await chips.mustGet(projectId, chipId);
    const muxes = new Map<number, string[]>();
    for (const qid of await chips.allQubitIds(projectId, chipId)) {
      const id = muxOf(Number(qid));
      muxes.set(id, [...(muxes.get(id) ?? []), qid]);
    }
    return muxes;
  }

  const muxFrom = (id: number, qids: readonly string[], found: Map<string, TaskResultDocument>): Mux => ({
    mux_id: id,
    detail: Object.fromEntries(
      qids.map((qid) => [
        qid,
        Object.fromEntries(
          allTasks.map((task) => [task, muxEntryOf(root, task, found.get(`${task}/${qid}`))]),
        ),
      ]),
    ),
  });

  return {
    /** All multiplexers of a chip by number. @throws not_found */
    async list(projectId: ProjectId, chipId: string): Promise<{ muxes: Record<string, Mux> }> {
      const [muxes, found] = await Promise.all([
        qubitsByMux(projectId, chipId),
        results.latestOfTasks(projectId, chipId, tasksOnQubits),
      ]);
      return {
        muxes: Object.fromEntries([...muxes].map(([id, qids]) => [id, muxFrom(id, qids, found)])),
      };
    },

    /**
     * The entity tag of {@link list}, found without reading the results. Read it before them.
     * @throws not_found
     */
    async tag(projectId: ProjectId, chipId: string): Promise<string> {
      const [chip, found] = await Promise.all([
        chips.mustGet(projectId, chipId),
        results.stateOfChip(projectId, chipId),
      ]);
      return entityTagOfState('muxes', root, targetsTagged(chip), found);
    },

    /** One multiplexer. @throws not_found when the chip does not exist or has no qubits of this multiplexer */
    async read(projectId: ProjectId, chipId: string, id: number): Promise<Mux> {
      const qids = (await qubitsByMux(projectId, chipId)).get(id);
      if (!qids) {
        throw new CalibronError(
          'not_found',
          `The chip has no multiplexer ${id}: each has ${QUBITS_PER_MUX} qubits, the first is 0.`,
        );
      }
      return muxFrom(id, qids, await results.latestOfTasks(projectId, chipId, tasksOnQubits, qids));
    },
  };
}
