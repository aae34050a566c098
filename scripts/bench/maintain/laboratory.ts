import { startValues } from '../../../activities/backends/simulator/start-values.ts';
import { maintenanceGraph } from '../../../shared/domain/maintenance/graph-rules.ts';
import type { MaintainNode } from '../../../shared/domain/maintenance/maintain-model.ts';
import {
  dependencesIn,
  laterTasks,
  notHolding,
  refinementsIn,
  refiningNodes,
} from '../../../shared/domain/maintenance/maintain-nodes-rules.ts';
import {
  createJudge,
  type EndedCheck,
  type FailedTask,
  hasChanged,
  indexed,
  type KnownTargets,
  type ValueVersion,
} from '../../../shared/domain/maintenance/state-rules.ts';
import { tolerancesOf, type WindowSettings } from '../../../shared/domain/maintenance/window-rules.ts';
import type { TaskId } from '../../../shared/kernel/ids.ts';
import {
  PLAIN_PULSE_LENGTH_NS,
  TARGET_RABI_FREQUENCY_GHZ,
} from '../../../shared/science/conventions/pulse.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { taskNamed } from '../../../test/support/ids.ts';
import { taskOf } from '../honesty/stored-values.ts';
import { type BenchChip, HOUR_MS, START } from './chip.ts';
import { calibrate, check, hasCheck, type Instrument, noisyInstrument, type Stored } from './measuring.ts';

export const TASKS = ['CheckRabi', 'CreateHPIPulse', 'CheckT1', 'CheckT2Echo', 'CheckRamsey'] as const;
/** Versions of a value that are kept. */
const VERSIONS = 12;
/** Task name of values that were imported, not measured. */
const ENTERED = 'SeedImport';
/** From one measurement of an hour to the next, so that what is measured with a value is later than it. */
const MEASUREMENT_MS = 1000;

/** Hardware time of the checks or the runs of a task. */
export interface Spent {
  count: number;
  seconds: number;
  outcomes: Readonly<Record<string, number>>;
}

export type Laboratory = ReturnType<typeof createLaboratory>;

/** What the tasks should find. */
function truthsOf(qubit: TrueQubit): Record<string, number> {
  return {
    qubit_frequency: qubit.f01,
    control_amplitude: TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency,
    hpi_amplitude: 0.25 / (qubit.maximumRabiFrequency * (PLAIN_PULSE_LENGTH_NS - qubit.rampNs)),
    t1: qubit.t1,
    t2_echo: qubit.t2Echo,
    t2_star: qubit.t2Star,
  };
}

/** A check or a run of a task. */
export interface Measured {
  kind: 'check' | 'run';
  task: string;
  qid: string;
  hour: number;
  outcome: string;
}

/** What is stored, and the number of measurements that found it. */
interface Stock {
  known: Required<KnownTargets>;
  made: number;
}

/** The measurements that were made, and the hardware time that they took. */
function createHardwareTime() {
  const measured: Measured[] = [];
  const spent = new Map<string, Spent>();
  let seconds = 0;
  return {
    spend({ kind, task, outcome, ...place }: Measured, time: number): void {
      measured.push({ kind, task, outcome, ...place });
      const key = `${task}, ${kind}s`;
      const { count, seconds: before, outcomes } = spent.get(key) ?? { count: 0, seconds: 0, outcomes: {} };
      spent.set(key, {
        count: count + 1,
        seconds: before + time,
        outcomes: { ...outcomes, [outcome]: (outcomes[outcome] ?? 0) + 1 },
      });
      seconds += time;
    },
    /** Checks and runs of an hour, in order. */
    measuredIn: (hour: number): readonly Measured[] => measured.filter((each) => each.hour === hour),
    seconds: () => seconds,
    spent: (): ReadonlyMap<string, Spent> => spent,
  };
}

/**
 * What a lab stores of a chip, and its instruments: everything but engines and store.
 * @param copy what another one stores; otherwise nothing but start values is known
 */
export function createLaboratory(
  chip: BenchChip,
  settings: WindowSettings,
  { copy, instrument = noisyInstrument(chip) }: { copy?: Stock; instrument?: Instrument } = {},
) {
  const graph = maintenanceGraph(TASKS.map(taskOf));
  const index = indexed(graph);
  const { inOrder, dependantsOf } = orderOf(graph);
  const versions = new Map<string, Map<string, readonly ValueVersion[]>>();
  const failures = new Map<string, readonly FailedTask[]>(copy?.known.failures);
  const checks = new Map<string, readonly EndedCheck[]>(copy?.known.checks);
  for (const [qid, own] of copy?.known.versions ?? []) versions.set(qid, new Map(own));
  const known = { versions, failures, checks };
  const tolerances = tolerancesOf(settings);
  const hardware = createHardwareTime();
  let made = copy?.made ?? 0;

  const at = (hour: number) => new Date(START + hour * HOUR_MS);
  /** When the measurement ended that was made last. */
  const ended = ({ hour }: { hour: number }) =>
    new Date(at(hour).getTime() + MEASUREMENT_MS * hardware.measuredIn(hour).length);

  function store(
    qid: string,
    parameter: string,
    version: Omit<ValueVersion, 'taskId' | 'unit'>,
    taskId: TaskId,
  ) {
    const own = versions.get(qid) ?? new Map<string, readonly ValueVersion[]>();
    versions.set(qid, own);
    own.set(parameter, [{ ...version, unit: '', taskId }, ...(own.get(parameter) ?? [])].slice(0, VERSIONS));
  }

  for (const qid of copy ? [] : chip.qids) {
    for (const [name, { value }] of Object.entries(startValues(chip.seed, qid, at(0)))) {
      if (typeof value === 'number')
        store(qid, name, { value, error: null, at: at(-1), task: ENTERED }, taskNamed('seed'));
    }
  }

  function storedOf(qid: string, hour: number, isStored = (_: ValueVersion) => true): Stored {
    const found = [...(versions.get(qid) ?? [])].flatMap(([name, [newest]]) =>
      typeof newest?.value === 'number' && isStored(newest)
        ? [[name, earlierOf({ ...newest, value: newest.value }, hour)] as const]
        : [],
    );
    return Object.fromEntries(found);
  }

  const earlierOf = ({ value, error, at: since }: ValueVersion & { value: number }, hour: number) => ({
    value,
    error,
    hours: (at(hour).getTime() - since.getTime()) / HOUR_MS,
  });

  return {
    storedOf,
    settings,
    inOrder,
    dependantsOf,
    /** What is stored of a qubit. */
    copyOf: (qid: string): Stock => ({
      made,
      known: {
        versions: new Map([[qid, new Map(versions.get(qid))]]),
        failures: new Map([[qid, failures.get(qid) ?? []]]),
        checks: new Map([[qid, checks.get(qid) ?? []]]),
      },
    }),
    /** Checks and runs of an hour, in order. */
    measuredIn: hardware.measuredIn,
    /** Tasks that found a value which is farther from the truth than its tolerance. */
    wrongTasks(qid: string, hour: number): string[] {
      const truths = truthsOf(chip.truth(qid, hour));
      const wrong = Object.entries(truths).flatMap(([parameter, truth]) => {
        const [newest] = versions.get(qid)?.get(parameter) ?? [];
        return newest && isWrong(tolerances[parameter] ?? {}, newest, truth) ? newest.task : [];
      });
      return inOrder(wrong);
    },
    seconds: hardware.seconds,
    spent: hardware.spent,

    /** Runs a task. @returns whether it passed, and whether a value changed by more than its error */
    calibrate(task: string, qid: string, hour: number): { ok: boolean; changed: boolean; message: string } {
      const found = calibrate(
        instrument,
        { task, qid, hour },
        { stored: storedOf(qid, hour), found: storedOf(qid, hour, (version) => version.task !== ENTERED) },
      );
      hardware.spend(
        { kind: 'run', task, qid, hour, outcome: found.ok ? 'passed' : 'failed' },
        found.seconds,
      );
      const end = ended({ hour });
      if (!found.ok) {
        failures.set(qid, [...(failures.get(qid) ?? []), { task, at: end, message: found.message }]);
        return { ok: false, changed: false, message: found.message };
      }
      made += 1;
      for (const [name, { value, error }] of Object.entries(found.outputs)) {
        store(qid, name, { value, error, at: end, task }, taskNamed(String(made)));
      }
      const moved = (parameter: string) =>
        hasChanged({ kind: 'qubit', qid, parameter }, { graph: index, known, settings });
      return { ok: true, changed: Object.keys(found.outputs).some(moved), message: '' };
    },

    check(task: string, qid: string, hour: number) {
      const found = check(instrument, { task, qid, hour }, { stored: storedOf(qid, hour), tolerances });
      hardware.spend({ kind: 'check', task, qid, hour, outcome: found.outcome }, found.seconds);
      const { outcome, reason } = found;
      const result: EndedCheck = { task, at: ended({ hour }), outcome, reason, found: found.found };
      checks.set(qid, [result, ...(checks.get(qid) ?? [])].slice(0, VERSIONS));
      return { outcome, reason };
    },

    /** The window of a value at a time, hours; null if it has none. */
    windowOf(qid: string, parameter: string, hour: number): number | null {
      const judge = createJudge({ graph: index, known, settings, now: at(hour) });
      return judge({ kind: 'qubit', qid, parameter }).window?.hours ?? null;
    },

    /** All tasks of all qubits, as the planner sees them, in the order that runs have. */
    nodes: (hour: number): MaintainNode[] =>
      nodesAt(at(hour), { graph, index, known, settings, qids: chip.qids }),
  };
}

/** Whether a value is farther from the truth than its tolerance. */
function isWrong(
  { tolerance, of }: Partial<ReturnType<typeof tolerancesOf>[string]>,
  version: ValueVersion | undefined,
  truth: number | undefined,
): boolean {
  if (tolerance === undefined || truth === undefined || typeof version?.value !== 'number') return false;
  return Math.abs(version.value - truth) > tolerance * (of === 'value' ? Math.abs(truth) : 1);
}

/** The order of tasks, and what depends on them. */
function orderOf(graph: ReturnType<typeof maintenanceGraph>) {
  /** Tasks in the order of calibration. */
  const inOrder = (names: readonly string[]): string[] =>
    graph.tasks.map(({ task }) => task.name).filter((name) => names.includes(name));

  function dependantsOf(task: string): string[] {
    const direct = graph.tasks
      .filter(({ dependsOn }) => dependsOn.includes(task))
      .map((each) => each.task.name);
    return inOrder([...direct, ...direct.flatMap(dependantsOf)]);
  }

  return { inOrder, dependantsOf };
}

/** All tasks of all qubits, as the planner sees them at a time. */
function nodesAt(
  now: Date,
  {
    graph,
    index,
    known,
    settings,
    qids,
  }: {
    graph: ReturnType<typeof maintenanceGraph>;
    index: ReturnType<typeof indexed>;
    known: Required<KnownTargets>;
    settings: WindowSettings;
    qids: readonly string[];
  },
): MaintainNode[] {
  const dependences = dependencesIn(graph);
  const refinements = refinementsIn(graph);
  const later = laterTasks(graph.tasks);
  const canCheck = (node: string) => {
    const [name = '', qid = ''] = node.split(' ');
    const [output = ''] = Object.keys(taskOf(name).outputs);
    return hasCheck(name) && known.versions.get(qid)?.get(output)?.[0]?.task === name;
  };
  const judge = createJudge({ graph: index, known, settings, now });
  return graph.tasks.flatMap(({ task }) =>
    qids.map((qid): MaintainNode => {
      const wrong = notHolding(task, qid, {
        judge,
        later: later.get(task.name) ?? new Set(),
        failures: known.failures.get(qid) ?? [],
      });
      return {
        id: `${task.name} ${qid}`,
        task: task.name,
        target: qid,
        holds: wrong === null,
        reason: wrong?.reason ?? 'It holds.',
        retryAt: wrong?.retryAt ?? null,
        checkSeconds: canCheck(`${task.name} ${qid}`) ? 0 : null,
        seconds: 0,
        refinedBy: refiningNodes(refinements.get(task.name) ?? [], { target: qid, canCheck }),
        dependsOn: (dependences.get(task.name) ?? []).map((each) => `${each.task} ${qid}`),
      };
    }),
  );
}
