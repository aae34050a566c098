import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { windowsFile } from '../../shared/domain/maintenance/index.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { PLAIN_PULSE_LENGTH_NS } from '../../shared/science/conventions/pulse.ts';
import type { TrueQubit } from '../../shared/science/device/device.ts';
import { type BenchChip, benchChip } from './maintain/chip.ts';
import { type FaultReport, followFault, isExact } from './maintain/faults.ts';
import { createLaboratory, type Laboratory, TASKS } from './maintain/laboratory.ts';
import { hasCheck } from './maintain/measuring.ts';
import { maintain, nightly, type Policy, recheck } from './maintain/policies.ts';

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
  faults: readonly FaultReport[];
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
  const faults: FaultReport[] = [];
  let open: ReturnType<typeof followFault>[] = [];
  for (let hour = 0; hour < chip.hours; hour++) {
    const struckNow = chip.faults.filter(({ atHour }) => Math.ceil(atHour) === hour);
    open.push(...struckNow.map((fault) => followFault(fault, { chip, lab, policy, hour })));
    const wrong = new Map(open.map((each) => [each, each.before(hour)]));
    const repairs = policy(lab, hour, chip.qids);
    const struck = chip.faults.filter(({ atHour }) => atHour <= hour && hour < atHour + AFTERMATH_HOURS);
    const isStruck = (qid: string) => struck.some(({ qids }) => qids.includes(qid));
    repaired.all += repairs.length;
    repaired.beyond += repairs.filter(({ qid, wasDue }) => !wasDue && !isStruck(qid)).length;
    open = open.filter((each) => {
      const report = each.after(hour, wrong.get(each) ?? []);
      if (report) faults.push(report);
      return report === null;
    });
    for (const qid of chip.qids) {
      const { frequency, pulse } = withinSpecification(chip.truth(qid, hour + 0.5), lab.storedOf(qid));
      if (frequency && pulse) hours.within += 1;
      if (!frequency) hours.frequency += 1;
      if (!pulse) hours.pulse += 1;
    }
  }
  faults.push(...open.map((each) => each.missed()));
  const all = chip.qids.length * chip.hours;
  return {
    ...{ policy: name, faults, repairs: repaired, hardwareHours: lab.seconds() / 3600 },
    within: hours.within / all,
    wrong: { frequency: hours.frequency / all, pulse: hours.pulse / all },
  };
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
  const count = (matches: (report: FaultReport) => boolean) => faults.filter(matches).length;
  const found = count(({ foundAfterHours }) => foundAfterHours !== null);
  const inWindow = count((report) => report.isInWindow);
  console.log(`  faults found, within their window  ${found}, ${inWindow} of ${chip.faults.length}`);
  if (policy !== 'nightly') {
    const held = faults.reduce((sum, each) => sum + each.held.length, 0);
    console.log(
      `  exactly what it broke run again    ${count(isExact)} of ${found} faults; ${held} tasks that held were run for a fault`,
    );
  }
  console.log(
    `  tasks run again                    ${repairs.all}; ${repairs.beyond} held, on qubits without a fault`,
  );
  console.log(`  took ${seconds.toFixed(0)} s\n`);
  for (const line of faultLines(result)) console.log(`  ${line}`);
  console.log('');
}

/** A line for each fault, in the order in which they were found. */
function faultLines({ policy, faults }: Result): string[] {
  const columns = ['fault', 'qubit', 'at hour', 'found after', 'window', 'in it', 'run again because of it'];
  const rows = faults.map((report) => {
    const { fault, foundAfterHours: after, windowHours, isInWindow, calibrated, expected, held } = report;
    const sets = isExact(report)
      ? `${calibrated.join(', ')}: exactly`
      : `${calibrated.join(', ') || 'nothing'} instead of ${expected.join(', ')}`;
    return [
      ...[fault.incident, fault.qids.join(' '), fault.atHour.toFixed(1)],
      ...[after === null ? 'never' : `${after.toFixed(1)} h`, `${windowHours.toFixed(1)} h`],
      ...[isInWindow ? 'yes' : 'no', policy === 'nightly' ? 'everything' : sets],
      ...(held.length > 0 && policy !== 'nightly' ? [`held: ${held.join(', ')}`] : []),
    ];
  });
  const table = [columns, ...rows];
  const width = (place: number) => Math.max(...table.map((row) => row[place]?.length ?? 0));
  return table.map((row) =>
    row
      .map((cell, place) => cell.padEnd(width(place)))
      .join('  ')
      .trimEnd(),
  );
}
