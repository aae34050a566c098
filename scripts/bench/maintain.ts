import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { windowsFile } from '../../shared/domain/maintenance/index.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { PLAIN_PULSE_LENGTH_NS } from '../../shared/science/conventions/pulse.ts';
import type { TrueQubit } from '../../shared/science/device/device.ts';
import { type BenchChip, benchChip } from './maintain/chip.ts';
import { createLaboratory, type Laboratory, TASKS } from './maintain/laboratory.ts';
import { hasCheck } from './maintain/measuring.ts';
import { maintain, nightly, type Policy, type Repair, recheck } from './maintain/policies.ts';

const WHOLE = { qubits: 64, days: 30 };
const SMALL = { qubits: 8, days: 6 };
/** Within specification: this close to the true frequency, and a pi/2 pulse that turns right by this part. */
const FREQUENCY_GHZ = 1e-4;
const ROTATION = 0.02;
/** A fault counts as the cause of repairs for so long. */
const AFTERMATH_HOURS = 72;
/** Part of a task's time that a check takes, for the reference of a check of everything each hour. */
const CHECK_PART = 0.15;

interface Result {
  policy: string;
  within: number;
  /** Parts of qubit-hours with a wrong frequency, and with a wrong pulse. */
  wrong: { frequency: number; pulse: number };
  hardwareHours: number;
  faults: { found: number; inWindow: number; all: number };
  /** Tasks run again, and those of them that held on a qubit without a fault. */
  repairs: { all: number; beyond: number };
}

/**
 * Keeps a drifting chip with sudden faults calibrated for thirty days in three ways, with the planner, the checks and the
 * analyses against the simulated device, without engines and store.
 *
 * `npm run bench -- maintain [small] [seed=<text>] [qubits=<number>] [days=<number>] [only=<policy>]`
 */
export async function benchMaintain(options: readonly string[]): Promise<void> {
  const option = (name: string) =>
    options.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  const seed = option('seed') ?? randomBytes(4).toString('hex');
  const size = options.includes('small') ? SMALL : WHOLE;
  const [qubits, days] = [Number(option('qubits') ?? size.qubits), Number(option('days') ?? size.days)];
  const only = option('only');
  const settings = await windowsFile.read(fileURLToPath(new URL('config', packageRoot)));
  const chip = benchChip(seed, { qubits, days });
  const policies: Record<string, Policy> = { maintain, nightly, recheck };
  console.log(
    `\nnpm run bench -- maintain seed=${seed} qubits=${qubits} days=${days}: ${chip.faults.length} faults`,
  );
  console.log(
    `checks: ${TASKS.filter(hasCheck).join(', ')}; without a check: ${TASKS.filter((task) => !hasCheck(task)).join(', ')}\n`,
  );
  for (const [name, policy] of Object.entries(policies)) {
    if (only !== undefined && only !== name) continue;
    const began = performance.now();
    const lab = createLaboratory(chip, settings);
    const result = keep(name, policy, { chip, lab });
    const spent = [...lab.spent()].map(([what, { count, seconds, outcomes }]) => {
      const parts = Object.entries(outcomes).map(([outcome, times]) => `${times} ${outcome}`);
      return `  ${what.padEnd(33)}${count} in ${seconds.toFixed(0)} s: ${parts.join(', ')}`;
    });
    print(result, chip, referenceHours(chip, lab), (performance.now() - began) / 1000);
    console.log(`${spent.join('\n')}\n`);
  }
}

/** Lets a policy work each hour. */
function keep(name: string, policy: Policy, { chip, lab }: { chip: BenchChip; lab: Laboratory }): Result {
  const hours = { within: 0, frequency: 0, pulse: 0 };
  const repaired = { all: 0, beyond: 0 };
  const open = new Map(chip.faults.map((fault) => [fault, null as number | null]));
  const faults = { found: 0, inWindow: 0, all: chip.faults.length };
  for (let hour = 0; hour < chip.hours; hour++) {
    for (const [fault, window] of open) {
      if (fault.atHour > hour || window !== null) continue;
      const parameter = fault.incident === 'frequency_jump' ? 'qubit_frequency' : 'control_amplitude';
      open.set(fault, lab.windowOf(fault.qids[0] ?? '', parameter, hour) ?? 0);
    }
    const repairs = policy(lab, hour, chip.qids);
    const struck = chip.faults.filter(({ atHour }) => atHour <= hour && hour < atHour + AFTERMATH_HOURS);
    const isStruck = (qid: string) => struck.some(({ qids }) => qids.includes(qid));
    repaired.all += repairs.length;
    repaired.beyond += repairs.filter(({ qid, wasDue }) => !wasDue && !isStruck(qid)).length;
    for (const [fault, window] of open) {
      if (window === null || !isFound(fault, repairs)) continue;
      open.delete(fault);
      faults.found += 1;
      // The planner works once an hour.
      if (hour - fault.atHour <= window + 1) faults.inWindow += 1;
    }
    for (const qid of chip.qids) {
      const { frequency, pulse } = withinSpecification(chip.truth(qid, hour + 0.5), lab.storedOf(qid));
      if (frequency && pulse) hours.within += 1;
      if (!frequency) hours.frequency += 1;
      if (!pulse) hours.pulse += 1;
    }
  }
  const all = chip.qids.length * chip.hours;
  return {
    ...{ policy: name, faults, repairs: repaired, hardwareHours: lab.seconds() / 3600 },
    within: hours.within / all,
    wrong: { frequency: hours.frequency / all, pulse: hours.pulse / all },
  };
}

type Fault = BenchChip['faults'][number];

function isFound({ incident, qids }: Fault, repairs: readonly Repair[]): boolean {
  const tasks = incident === 'frequency_jump' ? ['CheckRamsey'] : ['CheckRabi', 'CreateHPIPulse'];
  return repairs.some(({ task, qid }) => qid === qids[0] && tasks.includes(task));
}

/** Whether a qubit is where it is believed to be, and its pi/2 pulse turns right. */
function withinSpecification(qubit: TrueQubit, stored: Readonly<Record<string, number>>) {
  const distance = Math.abs((stored['qubit_frequency'] ?? 0) - qubit.f01);
  const length = PLAIN_PULSE_LENGTH_NS - qubit.rampNs;
  const turned = 4 * qubit.maximumRabiFrequency * (stored['hpi_amplitude'] ?? 0) * length;
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

function print(result: Result, chip: BenchChip, reference: number, seconds: number): void {
  const { policy, within, wrong, hardwareHours, faults, repairs } = result;
  const percent = (part: number) => `${(100 * part).toFixed(2)} %`;
  console.log(policy);
  console.log(`  qubit-hours within specification   ${percent(within)} of ${chip.qids.length * chip.hours}`);
  console.log(`  wrong frequency, wrong pulse       ${percent(wrong.frequency)}, ${percent(wrong.pulse)}`);
  console.log(
    `  hardware time, qubit-hours         ${hardwareHours.toFixed(2)}, ${percent(hardwareHours / reference)} of the reference`,
  );
  console.log(`  faults found, within their window  ${faults.found}, ${faults.inWindow} of ${faults.all}`);
  console.log(
    `  tasks run again                    ${repairs.all}; ${repairs.beyond} held, on qubits without a fault`,
  );
  console.log(`  took ${seconds.toFixed(0)} s\n`);
}
