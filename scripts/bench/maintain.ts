import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { QUBITS_PER_MUX } from '../../shared/science/conventions/multiplexer.ts';
import { type BenchChip, benchChip } from './maintain/chip.ts';
import { type FaultReport, isExact } from './maintain/faults.ts';
import { type Kept, policies, together } from './maintain/keeping.ts';
import { TASKS } from './maintain/laboratory.ts';
import { hasCheck } from './maintain/measuring.ts';
import { type PolicyPoint, policyPicture } from './maintain/picture.ts';

const WHOLE = { qubits: 64, days: 30 };
const SMALL = { qubits: 8, days: 6 };

/**
 * Keeps a drifting chip with sudden faults calibrated for thirty days in three ways, with the planner, the checks and the
 * analyses against the simulated device, without engines and store.
 *
 * `npm run bench -- maintain [small] [seed=<text>] [qubits=<number>] [days=<number>] [only=<policy>] [processes=<number>]
 * [picture=<file.svg>]`
 */
export async function benchMaintain(options: readonly string[]): Promise<void> {
  const option = (name: string) =>
    options.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  const seed = option('seed') ?? randomBytes(4).toString('hex');
  const size = options.includes('small') ? SMALL : WHOLE;
  const [qubits, days] = [Number(option('qubits') ?? size.qubits), Number(option('days') ?? size.days)];
  const only = option('only');
  const processes = Number(option('processes') ?? availableParallelism());
  const chip = benchChip(seed, { qubits, days });
  console.log(
    `\nnpm run bench -- maintain seed=${seed} qubits=${qubits} days=${days}: ${chip.faults.length} faults`,
  );
  console.log(
    `checks: ${TASKS.filter(hasCheck).join(', ')}; without a check: ${TASKS.filter((task) => !hasCheck(task)).join(', ') || 'none'}\n`,
  );
  const points: PolicyPoint[] = [];
  for (const policy of Object.keys(policies)) {
    if (only !== undefined && only !== policy) continue;
    const began = performance.now();
    const groups = linesOf(chip).map((qids): Job => ({ seed, qubits, days, policy, qids }));
    const kept = together(await keepAll(groups, processes));
    print(policy, kept, chip, (performance.now() - began) / 1000);
    points.push({
      name: policy,
      within: kept.hours.within / kept.qubitHours,
      hardware: kept.hardwareHours / kept.referenceHours,
    });
  }
  const picture = option('picture');
  if (picture !== undefined) {
    await writeFile(
      picture,
      policyPicture(points, `${qubits} qubits, ${days} days, ${chip.faults.length} faults`),
    );
  }
}

/** Qubits that a process keeps at once. */
interface Job {
  seed: string;
  qubits: number;
  days: number;
  policy: string;
  qids: readonly string[];
}

/** The qubits by readout line. */
function linesOf({ qids }: BenchChip): string[][] {
  return Array.from({ length: Math.ceil(qids.length / QUBITS_PER_MUX) }, (_, line) =>
    qids.slice(line * QUBITS_PER_MUX, (line + 1) * QUBITS_PER_MUX),
  );
}

/** Gives each process its next group of qubits when it has kept one. */
async function keepAll(jobs: readonly Job[], processes: number): Promise<Kept[]> {
  const kept: Kept[] = [];
  let next = 0;
  const path = fileURLToPath(new URL('./maintain/process.ts', import.meta.url));
  await Promise.all(
    Array.from({ length: Math.min(processes, jobs.length) }, async () => {
      const child = fork(path, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
      await new Promise<void>((resolve, reject) => {
        const give = () => {
          const job = jobs[next];
          next += 1;
          if (job === undefined) child.disconnect();
          else child.send(job);
        };
        child.on('message', (answer: Kept) => {
          kept.push(answer);
          give();
        });
        child.on('exit', (code) =>
          code === 0 ? resolve() : reject(new Error(`A process of the benchmark ended with ${code}.`)),
        );
        give();
      });
    }),
  );
  return kept;
}

function print(policy: string, kept: Kept, chip: BenchChip, seconds: number): void {
  const { qubitHours, hours, hardwareHours, faults, repairs } = kept;
  const percent = (part: number) => `${(100 * part).toFixed(2)} %`;
  const ofAll = (part: number) => percent(part / qubitHours);
  console.log(policy);
  console.log(`  qubit-hours within specification   ${ofAll(hours.within)} of ${qubitHours}`);
  console.log(`  wrong frequency, wrong pulse       ${ofAll(hours.frequency)}, ${ofAll(hours.pulse)}`);
  console.log(
    `  hardware time, qubit-hours         ${hardwareHours.toFixed(2)}, ${percent(hardwareHours / kept.referenceHours)} of the reference`,
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
  for (const line of faultLines(policy, faults)) console.log(`  ${line}`);
  console.log('');
  for (const [what, { count: times, seconds: spent, outcomes }] of Object.entries(kept.spent)) {
    const parts = Object.entries(outcomes).map(([outcome, number]) => `${number} ${outcome}`);
    console.log(`  ${what.padEnd(33)}${times} in ${spent.toFixed(0)} s: ${parts.join(', ')}`);
  }
  console.log('');
}

/** A line for each fault, in the order in which they were found. */
function faultLines(policy: string, faults: readonly FaultReport[]): string[] {
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
