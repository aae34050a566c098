import type { Collection, Db } from 'mongodb';
import { coalesced } from '../../kernel/coalesced-reads.ts';
import { coalescedMatches } from '../../kernel/coalesced-updates.ts';
import { type CollectionIndexes, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { StoredParameter, StoredParameters } from '../results/model.ts';
import { createChipHistory } from './chip-history.ts';
import type { TargetKind, TargetParameter } from './model.ts';
import { isNotAfter, type WriteOrder } from './write-order-rules.ts';

/** The part of a qubit or coupling document that calibration reads and writes. */
export interface CalibratedTarget {
  _id: string;
  project_id: ProjectId;
  username: string;
  chip_id: string;
  qid: string;
  status: 'pending' | 'completed' | 'failed';
  data: StoredParameters;
  /** Epoch of the holder whose run wrote last, and the position of the write in that run; older writes are refused. */
  epoch: number;
  sequence: number;
  updated_at: Date;
}

/** Change of a target by a task. */
interface StateChange {
  status: CalibratedTarget['status'];
  data: Record<string, StoredParameter>;
}

/** Daily snapshot of a target; `_id` is `<project>/<chip>/<qid>/<day>`. */
interface TargetHistoryDocument {
  _id: string;
  project_id: ProjectId;
  username: string;
  chip_id: string;
  qid: string;
  status: string;
  data: StoredParameters;
  recorded_date: string;
  cooldown_id: string | null;
  epoch: number;
  sequence: number;
}

const historyIndexes = (collection: string): CollectionIndexes => ({
  collection,
  indexes: [{ name: 'by_day', key: { project_id: 1, chip_id: 1, qid: 1, recorded_date: 1 }, unique: true }],
});

export const calibrationStateIndexes: readonly CollectionIndexes[] = [
  historyIndexes('qubit_history'),
  historyIndexes('coupling_history'),
  {
    collection: 'chip_history',
    indexes: [{ name: 'by_day', key: { project_id: 1, chip_id: 1, recorded_date: 1 }, unique: true }],
  },
];

/** The write came from an older holder, or from an older task, than the last write: nothing was changed. */
export class OutdatedWrite extends Error {
  constructor(target: string) {
    super(`a newer run has written the calibration state of ${target}; this late write was dropped`);
    this.name = 'OutdatedWrite';
  }
}

/** Filter: targets that a write at this position of the order may change. */
function writtenUpTo({ epoch, sequence }: WriteOrder) {
  return { $or: [{ epoch: { $lt: epoch } }, { epoch, sequence: { $lte: sequence } }] };
}

/** Filter: targets with this record under a name; for null, targets without one. Records are equal if value and origin are. */
function holding(name: string, record: StoredParameter | null) {
  if (!record) return { [`data.${name}`]: { $exists: false } };
  const { value, execution_id, task_id } = record;
  return {
    [`data.${name}.value`]: value,
    [`data.${name}.execution_id`]: execution_id,
    [`data.${name}.task_id`]: task_id,
  };
}

/** Filter: targets that have not changed since they were read; every change updates the time. */
function unchangedSince({ epoch, sequence, updated_at }: CalibratedTarget) {
  return { epoch, sequence, updated_at };
}

function targetsOf(targets: Collection<CalibratedTarget>) {
  return { targets, rewrite: coalescedMatches(targets) };
}

interface TargetHistory {
  collection: Collection<TargetHistoryDocument>;
  /** Batches the snapshots of targets whose tasks end at the same time. */
  rewrite: ReturnType<typeof coalescedMatches<TargetHistoryDocument>>;
}

function historyOf(collection: Collection<TargetHistoryDocument>): TargetHistory {
  return { collection, rewrite: coalescedMatches(collection) };
}

/** Writes a target's daily snapshot, unless a later write has done so. */
async function snapshotTarget(
  history: TargetHistory,
  target: CalibratedTarget,
  day: { recorded_date: string; cooldown_id: string | null },
): Promise<void> {
  const { _id, project_id, chip_id, qid, username, status, data, epoch, sequence } = target;
  const historyId = `${_id}/${day.recorded_date}`;
  const snapshot = { project_id, chip_id, qid, username, status, data, ...day, epoch, sequence };
  const filter = { _id: historyId, ...writtenUpTo({ epoch, sequence }) };
  const update = { $set: snapshot };
  const isWritten =
    (await history.rewrite({ filter, update })) ??
    (await history.collection.updateOne(filter, update)).matchedCount === 1;
  if (isWritten) return;
  await retryDuplicateKey(() =>
    history.collection.updateOne({ _id: historyId }, { $setOnInsert: snapshot }, { upsert: true }),
  );
}

/**
 * The target after a write, provided that no other process changes it first.
 * @returns null when it cannot be predicted: the target was not read, or a later write exists
 */
function expectedAfter(
  seen: Readonly<CalibratedTarget> | null,
  order: WriteOrder,
  change: StateChange,
): Readonly<CalibratedTarget> | null {
  if (!seen || !isNotAfter(seen, order)) return null;
  return {
    ...seen,
    status: change.status,
    ...order,
    updated_at: new Date(),
    data: { ...seen.data, ...change.data },
  };
}

export type CalibrationStateStore = ReturnType<typeof createCalibrationStateStore>;

/** Calibration state of qubits and couplings, and its daily history. */
export function createCalibrationStateStore(db: Db) {
  const of = {
    qubit: {
      ...targetsOf(db.collection('qubits')),
      history: historyOf(db.collection('qubit_history')),
    },
    coupling: {
      ...targetsOf(db.collection('couplings')),
      history: historyOf(db.collection('coupling_history')),
    },
  };
  const findTargets = (kind: TargetKind) =>
    coalesced((ids) => of[kind].targets.find({ _id: { $in: [...ids] } }).toArray());
  const read = { qubit: findTargets('qubit'), coupling: findTargets('coupling') };
  return {
    /** Status and parameters of one target; null when the chip has no such target. */
    read(
      projectId: ProjectId,
      chipId: string,
      kind: TargetKind,
      qid: string,
    ): Promise<Readonly<CalibratedTarget> | null> {
      return read[kind](keyOf(projectId, chipId, qid));
    },

    /** Ids of the task results that the current values of a project come from. */
    async taskIds(projectId: ProjectId): Promise<string[]> {
      const ids = new Set<string>();
      for (const { targets } of [of.qubit, of.coupling]) {
        const found = targets
          .find({ project_id: projectId })
          .project<Pick<CalibratedTarget, 'data'>>({ data: 1 });
        for await (const { data } of found) {
          for (const { task_id } of Object.values(data)) if (task_id) ids.add(task_id);
        }
      }
      return [...ids];
    },

    ...createChipHistory(db),
    expectedAfter,

    /**
     * Writes parameters and status of a target. Safe to run twice.
     * @param target `expected` is the result of `expectedAfter`: if nothing has changed since, it is written without reading the
     * target again
     * @returns the target after the write (the same object as `expected` if that was written), and a function that writes its
     * daily snapshot (call it next)
     * @throws OutdatedWrite when a later holder, or a later task of this run, has already written
     */
    async write(
      target: {
        project_id: ProjectId;
        chip_id: string;
        kind: TargetKind;
        qid: string;
        seen?: Readonly<CalibratedTarget> | null;
        expected?: Readonly<CalibratedTarget> | null;
      },
      order: WriteOrder,
      change: StateChange,
      day: { recorded_date: string; cooldown_id: string | null },
    ): Promise<{ target: Readonly<CalibratedTarget>; snapshot(): Promise<void> }> {
      const { seen, expected } = target;
      const { targets, history, rewrite } = of[target.kind];
      const _id = keyOf(target.project_id, target.chip_id, target.qid);
      const fields = Object.fromEntries(
        Object.entries(change.data).map(([name, stored]) => [`data.${name}`, stored]),
      );
      const own = { status: change.status, ...order, updated_at: expected?.updated_at ?? new Date() };
      const update = { $set: { ...fields, ...own } };
      // Batches the writes of targets whose tasks end at the same time.
      if (seen && expected && (await rewrite({ filter: { _id, ...unchangedSince(seen) }, update }))) {
        return { target: expected, snapshot: () => snapshotTarget(history, expected, day) };
      }
      const written = await targets.findOneAndUpdate({ _id, ...writtenUpTo(order) }, update, {
        returnDocument: 'after',
      });
      if (!written) throw new OutdatedWrite(target.qid);
      return { target: written, snapshot: () => snapshotTarget(history, written, day) };
    },

    /**
     * Replaces known values, all or none of them. Status and write order stay unchanged, so that a run that holds the project can
     * continue to write. Safe to run twice.
     * @param from the records to replace, null for none
     * @returns the target after the write, and a function that writes its daily snapshot; null when a record has changed
     */
    async exchange(
      target: { project_id: ProjectId; chip_id: string; kind: TargetKind; qid: string },
      from: Readonly<Record<string, StoredParameter | null>>,
      to: Readonly<Record<string, StoredParameter>>,
      day: { recorded_date: string; cooldown_id: string | null },
    ): Promise<{ target: CalibratedTarget; snapshot(): Promise<void> } | null> {
      const { targets, history } = of[target.kind];
      const _id = keyOf(target.project_id, target.chip_id, target.qid);
      const asKnown = Object.entries(from).map(([name, record]) => holding(name, record));
      const fields = Object.entries(to).map(([name, stored]) => [`data.${name}`, stored]);
      const written =
        (await targets.findOneAndUpdate(
          { _id, $and: asKnown },
          { $set: { ...Object.fromEntries(fields), updated_at: new Date() } },
          { returnDocument: 'after' },
        )) ??
        (await targets.findOne({
          _id,
          $and: Object.entries(to).map(([name, record]) => holding(name, record)),
        }));
      return written && { target: written, snapshot: () => snapshotTarget(history, written, day) };
    },

    /** One parameter of the snapshots of a day, by target; targets without a snapshot are absent. */
    async snapshotsOfDay(
      targets: { project_id: ProjectId; chip_id: string; kind: TargetKind },
      qids: readonly string[],
      day: string,
      parameter: string,
    ): Promise<Map<string, TargetParameter['stored']>> {
      const keys = qids.map((qid) => keyOf(targets.project_id, targets.chip_id, qid, day));
      const found = await of[targets.kind].history.collection
        .find({ _id: { $in: keys } })
        .project<{ qid: string; data?: Record<string, TargetParameter['stored']> }>({
          _id: 0,
          qid: 1,
          [`data.${parameter}.value`]: 1,
          [`data.${parameter}.calibrated_at`]: 1,
        })
        .toArray();
      return new Map(found.map(({ qid, data }) => [qid, data?.[parameter]]));
    },
  };
}
