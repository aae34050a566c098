import type { BenchChip } from './chip.ts';
import { createLaboratory, type Laboratory, type Measured } from './laboratory.ts';
import type { Policy } from './policies.ts';

export type Fault = BenchChip['faults'][number];

/** Tasks whose values a fault moves, in the order of calibration; and the value whose window says when it must be found. */
const FAULTY: Readonly<Record<string, { tasks: readonly string[]; parameter: string }>> = {
  frequency_jump: { tasks: ['CheckRamsey'], parameter: 'qubit_frequency' },
  drive_step: { tasks: ['CheckRabi', 'CreateHPIPulse'], parameter: 'control_amplitude' },
};

/** How a policy dealt with a fault. Tasks in the order of calibration. */
export interface FaultReport {
  fault: Fault;
  /** Window of the value that it moved, as of the hour after it struck. */
  windowHours: number;
  /** Until a task that finds the moved value was run; null if none was. */
  foundAfterHours: number | null;
  isInWindow: boolean;
  /** Tasks that were run in the hour in which it was found, and would not have been without it. */
  calibrated: readonly string[];
  /** The faulty one, and those that depend on it and whose check failed. */
  expected: readonly string[];
  /** Those of `calibrated` whose values were within their tolerances of the truth. */
  held: readonly string[];
}

export function isExact({ calibrated, expected }: FaultReport): boolean {
  return calibrated.length === expected.length && calibrated.every((task) => expected.includes(task));
}

/**
 * Follows a fault from the hour after it struck until it is found. The same policy keeps a copy of the qubit on which it did not
 * strike, with the same noise: what is run there too is run because of the drift.
 */
export function followFault(
  fault: Fault,
  { chip, lab, policy, hour: begin }: { chip: BenchChip; lab: Laboratory; policy: Policy; hour: number },
) {
  const qid = fault.qids[0] ?? '';
  const { tasks: faulty, parameter } = FAULTY[fault.incident] ?? { tasks: [], parameter: '' };
  const windowHours = lab.windowOf(qid, parameter, begin) ?? 0;
  const spared = { ...chip.without(fault), qids: [qid] };
  const untouched = createLaboratory(spared, lab.settings, { copy: lab.copyOf(qid) });
  const deadline = windowHours + 1;

  return {
    /** What was out of its tolerance before this hour. Call it before the policy. */
    before: (hour: number): readonly string[] => lab.wrongTasks(qid, hour),

    /** Call it after the policy. @returns a report once the fault is found */
    after(hour: number, wrong: readonly string[]): FaultReport | null {
      policy(untouched, hour, [qid]);
      const anyway = tasksRun(untouched.measuredIn(hour));
      const own = lab.measuredIn(hour).filter((each) => each.qid === qid);
      const run = tasksRun(own);
      const found = faulty.find((task) => run.includes(task));
      if (found === undefined) return null;
      const after = hour - fault.atHour;
      const calibrated = run.filter((task) => task === found || !anyway.includes(task));
      const failed = lab.dependantsOf(found).filter((task) => failedCheck(own, task));
      return {
        fault,
        windowHours,
        foundAfterHours: after,
        isInWindow: after <= deadline,
        calibrated,
        expected: lab.inOrder([found, ...failed.filter((task) => !anyway.includes(task))]),
        held: calibrated.filter((task) => !wrong.includes(task)),
      };
    },

    /** The report on one that was never found. */
    missed: (): FaultReport => ({
      fault,
      windowHours,
      foundAfterHours: null,
      isInWindow: false,
      calibrated: [],
      expected: faulty.slice(0, 1),
      held: [],
    }),
  };
}

function tasksRun(measured: readonly Measured[]): string[] {
  return [...new Set(measured.flatMap(({ kind, task }) => (kind === 'run' ? task : [])))];
}

/** Whether the check after which a task was run failed, or the last one of a task that was not run. */
function failedCheck(measured: readonly Measured[], task: string): boolean {
  const own = measured.filter((each) => each.task === task);
  const run = own.findIndex(({ kind }) => kind === 'run');
  const last = own.slice(0, run < 0 ? own.length : run).findLast(({ kind }) => kind === 'check');
  return last !== undefined && last.outcome !== 'in_specification';
}
