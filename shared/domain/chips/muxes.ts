import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { inParts } from '../../kernel/parts.ts';
import { readAhead } from '../../kernel/read-ahead.ts';
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

/** Number of multiplexers of which the results are in memory at a time. */
const MUXES_AT_ONCE = 8;

/** Qubits of chips by the multiplexer that reads them out: four consecutive ids each; the last may have fewer. */
export function createMuxes(
  chips: Pick<ReturnType<typeof createChipStore>, 'allQubitIds' | 'mustGet'>,
  results: Pick<TaskResultStore, 'latestOfTasks' | 'latestInParts' | 'stateOfChip'>,
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

  async function* listed(
    projectId: ProjectId,
    chipId: string,
    muxes: readonly (readonly [number, string[]])[],
  ): AsyncGenerator<Mux[]> {
    const pages = inParts(muxes, MUXES_AT_ONCE);
    const parts = pages.map((page) => page.flatMap(([, qids]) => qids));
    const found = results.latestInParts(projectId, chipId, tasksOnQubits, {
      parts,
      without: 'run_parameters',
    });
    let page = 0;
    for await (const newest of readAhead(found)) {
      yield (pages[page] ?? []).map(([id, qids]) => muxFrom(id, qids, newest));
      page += 1;
    }
  }

  return {
    /** All multiplexers of a chip in order of their numbers, some at a time. @throws not_found */
    async list(projectId: ProjectId, chipId: string): Promise<AsyncIterable<Mux[]>> {
      const muxes = [...(await qubitsByMux(projectId, chipId))];
      return listed(projectId, chipId, muxes);
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
