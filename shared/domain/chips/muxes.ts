import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { inParts } from '../../kernel/parts.ts';
import { readAhead } from '../../kernel/read-ahead.ts';
import { entityTagOfState } from '../../kernel/state-tags.ts';
import { QUBITS_PER_MUX } from '../../science/conventions/multiplexer.ts';
import { muxOf } from '../../science/topology/rules.ts';
import { taskCatalog } from '../../tasks/catalog.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import type { TaskResultStore } from '../results/index.ts';
import { largeFields, type TaskResultDocument } from '../results/model.ts';
import type { Mux, MuxEntry, MuxEntryField } from './model.ts';
import { targetsTagged } from './rules.ts';
import type { createChipStore } from './store.ts';
import { muxEntryOf, muxEntryPart } from './wire.ts';

/** Tasks of the catalog that are shown for each qubit of a multiplexer. */
const catalogTasks = taskCatalog.map((task) => task.name);
/** The tasks of these that may have results on qubits. A task of a box has a result on each qubit for which it ran. */
const catalogTasksOnQubits = taskCatalog
  .filter((task) => task.taskType !== 'coupling')
  .map((task) => task.name);

/** Number of multiplexers of which the results are in memory at a time. */
const MUXES_AT_ONCE = 8;

/** Qubits of chips by the multiplexer that reads them out: four consecutive ids each; the last may have fewer. */
export function createMuxes(
  chips: Pick<ReturnType<typeof createChipStore>, 'allQubitIds' | 'mustGet'>,
  results: Pick<TaskResultStore, 'latestOfTasks' | 'latestInParts' | 'stateOfChip'>,
  /** Root of the calibration data. */
  root: string,
  /** The tasks that the backends of a project declare. */
  ownTasksOf: (projectId: ProjectId) => Promise<readonly TaskDefinition[]>,
) {
  /** Names of the tasks that the backends of a project declare for qubits, each once, in order. */
  async function ownTasksOnQubits(projectId: ProjectId): Promise<string[]> {
    const own = await ownTasksOf(projectId);
    return [...new Set(own.filter(({ taskType }) => taskType === 'qubit').map(({ name }) => name))].sort();
  }

  async function qubitsByMux(projectId: ProjectId, chipId: string): Promise<Map<number, string[]>> {
    await chips.mustGet(projectId, chipId);
    const muxes = new Map<number, string[]>();
    for (const qid of await chips.allQubitIds(projectId, chipId)) {
      const id = muxOf(Number(qid));
      muxes.set(id, [...(muxes.get(id) ?? []), qid]);
    }
    return muxes;
  }

  const muxFrom = (
    id: number,
    qids: readonly string[],
    found: Map<string, TaskResultDocument>,
    { own, fields }: { own: readonly string[]; fields?: readonly MuxEntryField[] | undefined },
  ): Mux => {
    const shown = [...catalogTasks, ...own];
    const entryOf = (task: string, qid: string): MuxEntry => {
      const entry = muxEntryOf(root, task, found.get(`${task}/${qid}`));
      return fields ? muxEntryPart(entry, fields) : entry;
    };
    const entriesOf = (qid: string) => Object.fromEntries(shown.map((task) => [task, entryOf(task, qid)]));
    return { mux_id: id, detail: Object.fromEntries(qids.map((qid) => [qid, entriesOf(qid)])) };
  };

  async function* listed(
    projectId: ProjectId,
    chipId: string,
    muxes: readonly (readonly [number, string[]])[],
    fields: readonly MuxEntryField[] | undefined,
  ): AsyncGenerator<Mux[]> {
    const pages = inParts(muxes, MUXES_AT_ONCE);
    const parts = pages.map((page) => page.flatMap(([, qids]) => qids));
    const own = await ownTasksOnQubits(projectId);
    const found = results.latestInParts(projectId, chipId, [...catalogTasksOnQubits, ...own], {
      parts,
      without: largeFields.filter((name) => name === 'run_parameters' || fields?.includes(name) === false),
    });
    let page = 0;
    for await (const newest of readAhead(found)) {
      yield (pages[page] ?? []).map(([id, qids]) => muxFrom(id, qids, newest, { own, fields }));
      page += 1;
    }
  }

  return {
    /**
     * All multiplexers of a chip in order of their numbers, some at a time.
     * @param fields what each entry shows besides its name and status; default: everything
     * @throws not_found
     */
    async list(
      projectId: ProjectId,
      chipId: string,
      fields?: readonly MuxEntryField[],
    ): Promise<AsyncIterable<Mux[]>> {
      const muxes = [...(await qubitsByMux(projectId, chipId))];
      return listed(projectId, chipId, muxes, fields);
    },

    /**
     * The entity tag of {@link list}, found without reading the results. Read it before them.
     * @throws not_found
     */
    async tag(projectId: ProjectId, chipId: string, fields?: readonly MuxEntryField[]): Promise<string> {
      const [chip, found, own] = await Promise.all([
        chips.mustGet(projectId, chipId),
        results.stateOfChip(projectId, chipId),
        ownTasksOnQubits(projectId),
      ]);
      return entityTagOfState('muxes', root, targetsTagged(chip), found, own, fields ?? null);
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
      const own = await ownTasksOnQubits(projectId);
      const names = [...catalogTasksOnQubits, ...own];
      return muxFrom(id, qids, await results.latestOfTasks(projectId, chipId, names, qids), { own });
    },
  };
}
