import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';
import { inParts } from '../../kernel/parts.ts';
import { couplingEnds } from '../../tasks/coupling-roles.ts';
import type { Chips } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import type { ProvenanceStore, RecentVersions } from '../provenance/index.ts';
import type { CheckRow, TaskResultStore } from '../results/index.ts';
import type { KnownGraph } from './graphs.ts';
import {
  type EndedCheck,
  type FailedTask,
  type KnownTargets,
  MS_PER_HOUR,
  type ValueVersion,
} from './state-rules.ts';
import type { WindowSettings } from './window-rules.ts';

/** Number of versions from which the drift of a value is estimated. */
const VERSIONS = 12;
/** Number of targets whose values are read at once; limits memory. */
const TARGETS_AT_ONCE = 32;

/** A target with the parameters to judge. */
export interface Target {
  kind: TargetKind;
  qid: string;
  parameters: readonly string[];
}

/** A chip, and when it was created: one with the same name may have existed before. */
export interface ChipSince {
  project_id: ProjectId;
  chip_id: string;
  created_at: Date;
}

/** Dependencies of everything that judges the values of chips. */
export interface Judging {
  chips: Chips;
  knownParts: KnownParts;
  graphOf(projectId: ProjectId): Promise<KnownGraph>;
  settings(): Promise<WindowSettings>;
  now(): Date;
}

export type KnownParts = ReturnType<typeof createKnownTargets>;

/** Reads what is stored of targets, and of the qubits of couplings among them. */
export function createKnownTargets({
  provenance,
  results,
  now,
}: {
  provenance: ProvenanceStore;
  results: TaskResultStore;
  now(): Date;
}) {
  /** Versions, failures and checks of targets, and of the qubits of couplings. */
  async function knownOf(
    chip: ChipSince,
    targets: readonly Target[],
    current: WindowSettings,
  ): Promise<KnownTargets> {
    const ends = targets.flatMap(({ kind, qid }) => (kind === 'coupling' ? endsOf(qid) : []));
    const qids = [...new Set([...targets.map(({ qid }) => qid), ...ends])];
    // Older values are due in any case.
    const since = new Date(now().getTime() - current.longestHours * MS_PER_HOUR);
    const [versions, failed, checks] = await Promise.all([
      provenance.newestVersions(chip.project_id, chip.chip_id, qids, (_, found, newest) => {
        const last = found.at(-1)?.valid_from;
        if (found.length >= VERSIONS || !last || last < since) return false;
        return found.length < VERSIONS / 2 || newest.some((at) => at < last);
      }),
      results.failuresSince(chip.project_id, chip.chip_id, qids, since),
      checksOf(chip, qids, since),
    ]);
    const failures = new Map<string, FailedTask[]>();
    for (const { qid, name, message, start_at, end_at } of failed) {
      const at = end_at ?? start_at;
      if (at) failures.set(qid, [...(failures.get(qid) ?? []), { task: name, at, message }]);
    }
    return { versions: versionsSince(versions, chip.created_at), failures, checks };
  }

  async function checksOf(
    chip: ChipSince,
    qids: readonly string[],
    since: Date,
  ): Promise<Map<string, EndedCheck[]>> {
    const after = new Date(Math.max(since.getTime(), chip.created_at.getTime()));
    const checks = new Map<string, EndedCheck[]>();
    for (const row of await results.checksSince(chip.project_id, chip.chip_id, { qids, since: after })) {
      const ended = endedCheck(row);
      if (ended) checks.set(row.qid, [...(checks.get(row.qid) ?? []), ended]);
    }
    return checks;
  }

  /** Reads what is stored of targets, some of them at a time. */
  return async function* (
    chip: ChipSince,
    targets: readonly Target[],
    current: WindowSettings,
  ): AsyncGenerator<{ some: readonly Target[]; known: KnownTargets }> {
    for (const some of inParts(targets, TARGETS_AT_ONCE)) {
      yield { some, known: await knownOf(chip, some, current) };
    }
  };
}

function endedCheck({
  name,
  check: { outcome, reason, values },
  start_at,
  end_at,
}: CheckRow): EndedCheck | null {
  const at = end_at ?? start_at;
  if (outcome === null || at === null) return null;
  const found = Object.entries(values).flatMap(([parameter, { found: value, error }]) =>
    value === null ? [] : [[parameter, { value, error }] as const],
  );
  return { task: name, at, outcome, reason, found: Object.fromEntries(found) };
}

/** The newest check of a task in these executions, by target. */
export async function newestChecks(
  results: Pick<TaskResultStore, 'checksSince'>,
  { project_id, chip_id, created_at }: ChipSince,
  {
    targets,
    task,
    executions,
  }: { targets: readonly string[]; task: string; executions: readonly ExecutionId[] },
): Promise<Record<string, EndedCheck>> {
  const rows = await results.checksSince(project_id, chip_id, {
    qids: targets,
    since: created_at,
    of: { task, executions },
  });
  return Object.fromEntries(
    rows.toReversed().flatMap((row) => {
      const ended = endedCheck(row);
      return ended ? [[row.qid, ended] as const] : [];
    }),
  );
}

function endsOf(qid: string): string[] {
  const ends = couplingEnds(qid);
  return ends ? [ends.control, ends.target] : [];
}

/** Versions since a chip was created: one with the same name may have existed before. */
function versionsSince(recent: RecentVersions, created: Date): KnownTargets['versions'] {
  return new Map(
    [...recent].map(([qid, parameters]) => [
      qid,
      new Map(
        [...parameters].map(([name, versions]) => [
          name,
          versions
            .filter(({ valid_from }) => valid_from >= created)
            .map(
              ({ value, error, unit, valid_from, task_name, task_id }): ValueVersion => ({
                value,
                error,
                unit,
                at: valid_from,
                task: task_name,
                taskId: task_id,
              }),
            ),
        ]),
      ),
    ]),
  );
}
