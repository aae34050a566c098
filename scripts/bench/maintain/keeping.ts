import { PLAIN_PULSE_LENGTH_NS } from '../../../shared/science/conventions/pulse.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import type { BenchChip } from './chip.ts';
import { type FaultReport, followFault } from './faults.ts';
import { type Laboratory, type Spent, TASKS } from './laboratory.ts';
import type { Stored } from './measuring.ts';
import { maintain, nightly, type Policy, recheck } from './policies.ts';

/** Largest errors within specification: of the frequency, and of the angle of a pi/2 pulse as a fraction of it. */
const FREQUENCY_GHZ = 1e-4;
const ROTATION = 0.02;
/** Hours for which a fault counts as the cause of repairs. */
const AFTERMATH_HOURS = 72;
/** Hardware time of a check as a fraction of its task's, assumed for the reference that checks everything each hour. */
const CHECK_PART = 0.15;

export const policies: Readonly<Record<string, Policy>> = { maintain, nightly, recheck };

/** The result of keeping some qubits calibrated. All numbers are sums over the qubits. */
export interface Kept {
  qubitHours: number;
  /** Qubit-hours within specification, with a wrong frequency, and with a wrong pulse. */
  hours: { within: number; frequency: number; pulse: number };
  hardwareHours: number;
  /** Hours of a full calibration every night and a check of everything every hour. */
  referenceHours: number;
  faults: readonly FaultReport[];
  /** Tasks run again, and those of them that held on a qubit without a fault. */
  repairs: { all: number; beyond: number };
  spent: Readonly<Record<string, Spent>>;
}

/** Lets a policy work each hour. */
export function keep(policy: Policy, { chip, lab }: { chip: BenchChip; lab: Laboratory }): Kept {
  const hours = { within: 0, frequency: 0, pulse: 0 };
  const repairs = { all: 0, beyond: 0 };
  const faults: FaultReport[] = [];
  let open: ReturnType<typeof followFault>[] = [];
  for (let hour = 0; hour < chip.hours; hour++) {
    const struckNow = chip.faults.filter(({ atHour }) => Math.ceil(atHour) === hour);
    open.push(...struckNow.map((fault) => followFault(fault, { chip, lab, policy, hour })));
    const wrong = new Map(open.map((each) => [each, each.before(hour)]));
    const run = policy(lab, hour, chip.qids);
    const struck = chip.faults.filter(({ atHour }) => atHour <= hour && hour < atHour + AFTERMATH_HOURS);
    const isStruck = (qid: string) => struck.some(({ qids }) => qids.includes(qid));
    repairs.all += run.length;
    repairs.beyond += run.filter(({ qid, wasDue }) => !wasDue && !isStruck(qid)).length;
    open = open.filter((each) => {
      const report = each.after(hour, wrong.get(each) ?? []);
      if (report) faults.push(report);
      return report === null;
    });
    for (const qid of chip.qids) {
      const { frequency, pulse } = withinSpecification(chip.truth(qid, hour + 0.5), lab.storedOf(qid, hour));
      if (frequency && pulse) hours.within += 1;
      if (!frequency) hours.frequency += 1;
      if (!pulse) hours.pulse += 1;
    }
  }
  faults.push(...open.map((each) => each.missed()));
  const hardwareHours = lab.seconds() / 3600;
  const spent = Object.fromEntries(lab.spent());
  return {
    qubitHours: chip.qids.length * chip.hours,
    hours,
    hardwareHours,
    faults,
    repairs,
    spent,
    referenceHours: referenceHours(chip, lab),
  };
}

/** Whether the stored frequency of a qubit and the angle of its pi/2 pulse are within specification. */
function withinSpecification(qubit: TrueQubit, stored: Stored) {
  const distance = Math.abs((stored['qubit_frequency']?.value ?? 0) - qubit.f01);
  const length = PLAIN_PULSE_LENGTH_NS - qubit.rampNs;
  const turned = 4 * qubit.maximumRabiFrequency * (stored['hpi_amplitude']?.value ?? 0) * length;
  return { frequency: distance <= FREQUENCY_GHZ, pulse: Math.abs(turned - 1) <= ROTATION };
}

/** Hardware time of a full calibration every night and a check of everything each hour. */
function referenceHours(chip: BenchChip, lab: Laboratory): number {
  const before = lab.seconds();
  const hour = chip.hours;
  for (const task of TASKS) lab.calibrate(task, chip.qids[0] ?? '0', hour);
  const full = (lab.seconds() - before) * chip.qids.length;
  return ((full + 24 * CHECK_PART * full) * (chip.hours / 24)) / 3600;
}

/** The combined result of several groups of qubits. */
export function together(parts: readonly Kept[]): Kept {
  const sum = (of: (kept: Kept) => number) => parts.reduce((total, kept) => total + of(kept), 0);
  return {
    qubitHours: sum(({ qubitHours }) => qubitHours),
    hours: {
      within: sum(({ hours }) => hours.within),
      frequency: sum(({ hours }) => hours.frequency),
      pulse: sum(({ hours }) => hours.pulse),
    },
    hardwareHours: sum(({ hardwareHours }) => hardwareHours),
    referenceHours: sum((kept) => kept.referenceHours),
    faults: parts.flatMap(({ faults }) => faults).sort((one, other) => one.fault.atHour - other.fault.atHour),
    repairs: {
      all: sum(({ repairs }) => repairs.all),
      beyond: sum(({ repairs }) => repairs.beyond),
    },
    spent: spentTogether(parts),
  };
}

function spentTogether(parts: readonly Kept[]): Record<string, Spent> {
  const all: Record<string, Spent> = {};
  for (const [what, { count, seconds, outcomes }] of parts.flatMap(({ spent }) => Object.entries(spent))) {
    const before = all[what] ?? { count: 0, seconds: 0, outcomes: {} };
    const names = new Set([...Object.keys(before.outcomes), ...Object.keys(outcomes)]);
    all[what] = {
      count: before.count + count,
      seconds: before.seconds + seconds,
      outcomes: Object.fromEntries(
        [...names].map((name) => [name, (before.outcomes[name] ?? 0) + (outcomes[name] ?? 0)]),
      ),
    };
  }
  return all;
}
