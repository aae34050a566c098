import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import { inParts } from '../../kernel/parts.ts';
import { readAhead } from '../../kernel/read-ahead.ts';
import { entityTagOfState } from '../../kernel/state-tags.ts';
import { calendarDayBounds } from '../../kernel/time.ts';
import type { StateOfResults, TaskResultStore } from '../results/index.ts';
import type { LatestEntry, TaskResultDocument } from '../results/model.ts';
import { latestEntryOf } from '../results/wire.ts';
import type { CalibrationStateStore } from './calibration-state.ts';
import type { TargetKind, TargetParameter } from './model.ts';
import { targetsTagged } from './rules.ts';
import type { createChipStore } from './store.ts';

/** The parameter that determines `over_threshold`, and its threshold. */
const fidelities = {
  qubit: { parameter: 'x90_gate_fidelity', threshold: 0.99 },
  coupling: { parameter: 'bell_state_fidelity', threshold: 0.75 },
} as const;

/** Whether targets without a result are shown by default. */
const pendingIsShown = { qubit: true, coupling: false } as const;

/** Number of targets of which the results are in memory at a time. */
const TARGETS_AT_ONCE = 128;

/** Interval in which a result must have started: `from` inclusive, `to` exclusive. */
interface Window {
  from: Date;
  before: Date;
}

interface Dependencies {
  chips: Pick<
    ReturnType<typeof createChipStore>,
    'targetParameters' | 'targetsAbove' | 'readTarget' | 'mustGet'
  >;
  state: Pick<CalibrationStateStore, 'snapshotsOfDay'>;
  results: Pick<TaskResultStore, 'latestInParts'> & {
    /** The newest result of a task for each target of a chip, optionally within an interval. */
    latestByTarget(
      projectId: ProjectId,
      chipId: string,
      task: string,
      started?: Window,
    ): Promise<Map<string, TaskResultDocument>>;
    /** What changes when a result of a task on a chip does. */
    stateOfChip(projectId: ProjectId, chipId: string, task: string): Promise<StateOfResults>;
    /** A page of the results of a task on one target, newest first. */
    ofTarget(
      projectId: ProjectId,
      of: { chip_id: string; name: string; qid: string },
      page: { skip: number; limit: number },
    ): Promise<{ items: TaskResultDocument[]; total: number }>;
  };
  /** IANA zone of calendar days. */
  timezone: string;
  /** Root of the calibration data. */
  root: string;
}

/** A task and a day; `start_at` and `end_at` replace the bounds of the day. */
export interface DayQuery {
  chip_id: string;
  task: string;
  /** `YYYYMMDD` */
  date: string;
  start_at?: Date | undefined;
  end_at?: Date | undefined;
}

/** The targets of an answer, and the newest result of each that has one. */
interface Found {
  targets: readonly TargetParameter[];
  newest: ReadonlyMap<string, TaskResultDocument>;
}

/** Results of a task on the qubits or couplings of a chip: the newest, those of a day, those of one target. */
export function createTargetResults({ chips, state, results, timezone, root }: Dependencies) {
  const answerOf = (
    kind: TargetKind,
    task: string,
    { targets, newest }: Found,
    counts: (stored: NonNullable<TargetParameter['stored']>) => boolean,
  ): { task_name: string; result: Record<string, LatestEntry> } => {
    return {
      task_name: task,
      result: Object.fromEntries(entriesOf(kind, task, { targets, newest }, counts)),
    };
  };

  const entriesOf = (
    kind: TargetKind,
    task: string,
    { targets, newest }: Found,
    counts: (stored: NonNullable<TargetParameter['stored']>) => boolean,
  ): (readonly [string, LatestEntry])[] =>
    targets.map(({ qid, stored }) => {
      const fidelity = stored && counts(stored) ? stored.value : null;
      const over = typeof fidelity === 'number' && fidelity > fidelities[kind].threshold;
      const shown = { taskName: task, overThreshold: over, pendingIsShown: pendingIsShown[kind] };
      return [qid, latestEntryOf(root, newest.get(qid), shown)] as const;
    });

  async function* latestInParts(
    kind: TargetKind,
    projectId: ProjectId,
    { chip_id, task }: { chip_id: string; task: string },
    targets: readonly TargetParameter[],
  ): AsyncGenerator<(readonly [string, LatestEntry])[]> {
    const pages = inParts(targets, TARGETS_AT_ONCE);
    const parts = pages.map((page) => page.map(({ qid }) => qid));
    let page = 0;
    for await (const found of readAhead(results.latestInParts(projectId, chip_id, [task], { parts }))) {
      const newest = new Map([...found.values()].map((result) => [result.qid, result]));
      yield entriesOf(kind, task, { targets: pages[page] ?? [], newest }, () => true);
      page += 1;
    }
  }

  return {
    /**
     * The newest result of a task for every target of a chip, some at a time; a target without one gets a pending entry. Whether a target is over
     * the threshold depends on its calibration state, independent of the task.
     * @throws not_found when there is no such chip
     */
    async latest(
      kind: TargetKind,
      projectId: ProjectId,
      of: { chip_id: string; task: string },
    ): Promise<AsyncIterable<(readonly [string, LatestEntry])[]>> {
      const { parameter } = fidelities[kind];
      const targets = await chips.targetParameters(kind, projectId, of.chip_id, parameter);
      return latestInParts(kind, projectId, of, targets);
    },

    /**
     * The entity tag of {@link latest}, found without reading the results. Read it before them.
     * @throws not_found when there is no such chip
     */
    async tagOfLatest(
      kind: TargetKind,
      projectId: ProjectId,
      { chip_id, task }: { chip_id: string; task: string },
    ): Promise<string> {
      const [chip, above, found] = await Promise.all([
        chips.mustGet(projectId, chip_id),
        chips.targetsAbove(kind, projectId, chip_id, fidelities[kind]),
        results.stateOfChip(projectId, chip_id, task),
      ]);
      return entityTagOfState('latest', root, kind, task, targetsTagged(chip), above, found);
    },

    /**
     * The newest result of a task that started on a day, for every target whose calibration state was recorded that day; with an
     * explicit bound, for every target of the chip. The threshold is applied to the day's snapshots, to values calibrated in the
     * same interval.
     * @throws not_found when there is no such chip, or nothing was recorded that day
     */
    async ofDay(kind: TargetKind, projectId: ProjectId, query: DayQuery) {
      const { chip_id, task, date } = query;
      const { parameter } = fidelities[kind];
      const day = calendarDayBounds(date, timezone);
      const window: Window = { from: query.start_at ?? day.from, before: query.end_at ?? day.before };
      const [targets, newest] = await Promise.all([
        chips.targetParameters(kind, projectId, chip_id, parameter),
        results.latestByTarget(projectId, chip_id, task, window),
      ]);
      const qids = targets.map(({ qid }) => qid);
      const snapshots = await state.snapshotsOfDay(
        { project_id: projectId, chip_id, kind },
        qids,
        date,
        parameter,
      );
      const bounded = query.start_at !== undefined || query.end_at !== undefined;
      if (!bounded && snapshots.size === 0) {
        throw new CalibronError('not_found', `Nothing was stored for this chip's ${kind}s on ${date}.`);
      }
      const shown = qids
        .filter((qid) => bounded || snapshots.has(qid))
        .map((qid) => ({ qid, stored: snapshots.get(qid) }));
      return answerOf(kind, task, { targets: shown, newest }, ({ calibrated_at }) => {
        const at = calibrated_at ? new Date(calibrated_at) : null;
        return at !== null && at >= window.from && at < window.before;
      });
    },

    /**
     * A page of the results of a task on one target, newest first, by task id.
     * @throws not_found when there is no such chip or target
     */
    async ofTarget(
      kind: TargetKind,
      projectId: ProjectId,
      of: { chip_id: string; task: string; qid: string },
      page: { skip: number; limit: number },
    ) {
      const { chip_id, task, qid } = of;
      const [{ items, total }] = await Promise.all([
        results.ofTarget(projectId, { chip_id, name: task, qid }, page),
        chips.readTarget(kind, projectId, chip_id, qid),
      ]);
      const shown = { taskName: task, overThreshold: false, pendingIsShown: true };
      const entries = items.map((item) => [item.task_id, latestEntryOf(root, item, shown)] as const);
      return { name: task, data: Object.fromEntries(entries), total, ...page };
    },
  };
}
