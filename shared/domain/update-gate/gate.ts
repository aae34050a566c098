import type { Db } from 'mongodb';
import { type CollectionIndexes, retryDuplicateKey } from '../../kernel/database.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { SYSTEM_UPDATE_ID } from '../../kernel/engine/workflow-ids.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { newId } from '../../kernel/new-ids.ts';
import { isoTime } from '../../kernel/time.ts';
import { UpdateGateError } from './errors.ts';

export const gateIndexes: CollectionIndexes = { collection: 'update_gate', indexes: [] };

/** The `_id` of the only document. */
const GATE = 'gate';

/** Milliseconds within which an update that holds the gate must have its workflow. */
const SETTLING = 30_000;

/** Milliseconds after which a start counts as interrupted. */
const START_LIMIT = 60_000;

/** A run that is being started: from before its workflow is requested until its execution is recorded. */
export interface RunStart {
  id: string;
  project_id: ProjectId;
  at: Date;
}

/** A single document, so that the start of a run and the start of an update always see each other, in either order. */
interface GateDocument {
  _id: string;
  /** The update that holds the gate, null while runs may start. */
  operation_id: string | null;
  held_since: Date | null;
  starts: RunStart[];
}

/** An update that holds the gate. */
export interface GateHolder {
  operation_id: string;
  since: Date;
}

export type UpdateGate = ReturnType<typeof createUpdateGate>;

/**
 * Mutual exclusion of runs and system updates. The start of a run registers while no update holds the gate; an update
 * takes the gate while no start is registered. Both are one conditional write to one document. Recorded runs are no
 * longer registered here: an update that has taken the gate checks for them, and releases the gate if there are any.
 */
export function createUpdateGate({ db, engine }: { db: Db; engine: Engine }) {
  const gates = db.collection<GateDocument>(gateIndexes.collection);

  async function current(): Promise<GateDocument> {
    const found = await gates.findOne({ _id: GATE });
    if (found) return found;
    const open = { operation_id: null, held_since: null, starts: [] };
    await retryDuplicateKey(() => gates.updateOne({ _id: GATE }, { $setOnInsert: open }, { upsert: true }));
    return (await gates.findOne({ _id: GATE })) ?? { _id: GATE, ...open };
  }

  /** Releases the gate if this update still holds it, so that runs can start. */
  async function release(operationId: string): Promise<void> {
    await gates.updateOne(
      { _id: GATE, operation_id: operationId },
      { $set: { operation_id: null, held_since: null } },
    );
  }

  /** Whether an update has no workflow left that could release the gate. */
  async function isOver({ operation_id, since }: GateHolder): Promise<boolean> {
    const workflow = await describeWorkflow(engine, SYSTEM_UPDATE_ID);
    if (workflow?.memo?.['operation_id'] === operation_id) return !isOpenWorkflow(workflow.status.name);
    // Its workflow may be about to start.
    return Date.now() - since.getTime() > SETTLING;
  }

  /**
   * The update that holds the gate, null while runs may start. An update whose workflow ended without releasing the gate,
   * after a terminate or a crash, loses it here.
   */
  async function holder(): Promise<GateHolder | null> {
    const { operation_id, held_since } = await current();
    if (operation_id === null) return null;
    const held = { operation_id, since: held_since ?? new Date(0) };
    if (!(await isOver(held))) return held;
    await release(operation_id);
    return null;
  }

  /** Registers the start of a run. @throws update_running while an update holds the gate */
  async function enter(projectId: ProjectId): Promise<RunStart> {
    const start: RunStart = { id: newId(), project_id: projectId, at: new Date() };
    for (;;) {
      const { matchedCount } = await gates.updateOne(
        { _id: GATE, operation_id: null },
        { $push: { starts: start } },
      );
      if (matchedCount === 1) return start;
      const held = await holder();
      if (held) throw updateRunning(held);
    }
  }

  async function leave({ id }: Pick<RunStart, 'id'>): Promise<void> {
    await gates.updateOne({ _id: GATE }, { $pull: { starts: { id } } });
  }

  /** Removes a project's interrupted starts. Nothing else removes them until an update is requested. */
  async function forgetCutOff(projectId: ProjectId): Promise<void> {
    const before = new Date(Date.now() - START_LIMIT);
    await gates.updateOne(
      { _id: GATE },
      { $pull: { starts: { project_id: { $eq: projectId }, at: { $lt: before } } } },
    );
  }

  return {
    holder,
    release,

    /**
     * Starts a run, unless an update holds the gate; meanwhile no update can take it. If the start fails without it being
     * clear whether the engine has started the run, it remains registered until {@link forgetStart}.
     * @throws update_running, and what `start` throws
     */
    async whileOpen<T>(projectId: ProjectId, start: () => Promise<T>): Promise<T> {
      const entered = await enter(projectId);
      try {
        const started = await start();
        await leave(entered);
        return started;
      } catch (thrown) {
        if (thrown instanceof CalibronError) await leave(entered);
        else await forgetCutOff(projectId).catch(() => undefined);
        throw thrown;
      }
    },

    /** Takes the gate for an update, unless another one holds it or runs are being started. */
    async take(
      operationId: string,
    ): Promise<{ heldBy: GateHolder | null; starts: readonly RunStart[] } | null> {
      for (;;) {
        const { matchedCount } = await gates.updateOne(
          { _id: GATE, operation_id: null, starts: { $size: 0 } },
          { $set: { operation_id: operationId, held_since: new Date() } },
        );
        if (matchedCount === 1) return null;
        const heldBy = await holder();
        const { starts } = await current();
        if (heldBy || starts.length > 0) return { heldBy, starts };
      }
    },

    /** Whether an update still holds the gate; it may have lost it if its workflow started very late. */
    async isHeldBy(operationId: string): Promise<boolean> {
      return (await current()).operation_id === operationId;
    },

    /** Whether a start takes so long that its process must be gone. */
    isCutOff: ({ at }: RunStart): boolean => Date.now() - at.getTime() > START_LIMIT,

    /** Removes an interrupted start; the caller must have checked that it left no open run. */
    forgetStart: leave,
  };
}

/** The error for a run that cannot start during an update. */
export function updateRunning({ since }: GateHolder): CalibronError {
  return new UpdateGateError(
    'update_running',
    `A system update has been running since ${isoTime(since)}. Start again when it is over.`,
  );
}
