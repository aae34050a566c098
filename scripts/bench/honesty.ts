import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type CheckedTrial, checkedKinds } from './honesty/checks.ts';
import { printChecks } from './honesty/checks-table.ts';
import { type JumpTrial, jumpKinds } from './honesty/jumps.ts';
import { printJumps } from './honesty/jumps-table.ts';
import { kinds } from './honesty/kinds.ts';
import type { Group, Kind, Outcome, Verdict } from './honesty/model.ts';
import { HONEST, summaryOf } from './honesty/pulls.ts';
import { READOUT_DEVICES, type ReadoutDevices, type TunedReadout } from './honesty/readout.ts';

/** Measurements in full, over all kinds together. */
const MEASUREMENTS = 3000;
const OF_SMALL = 6;
/** Checks of each kind, within and beyond the tolerances. */
const CHECKS = 40;
/** Jumps of each kind. */
const JUMPS = 40;
const PROCESSES = 2;

interface Job {
  kind: string;
  seed: string;
}

/**
 * Measures healthy, extreme and spoilt devices with new seeds, and prints for each kind how much was accepted
 * rightly, accepted though false, and refused, and for each quantity its bias and the RMS of its pulls. In the end it
 * calibrates whole devices, and prints how much their readout lacks to the best that each allows, makes the checks of
 * devices within their tolerances and beyond, and measures values that jumped twice.
 *
 * `npm run bench -- honesty [small] [seed=<text>] [group=<healthy, extreme, imperfect, labs, spoilt, checks or jumps>] [only=<part of a kind's name>]
 * [each=<measurements of each kind>] [why] [configured]`; `only` is a regular expression, so `A|B` chooses both and `^A$` only
 * the kind A; `configured` checks with the tolerances of config/maintenance.yaml in place of those of the check forms.
 */
export async function benchHonesty(options: readonly string[]): Promise<void> {
  const option = (name: string) =>
    options.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
  const seed = option('seed') ?? randomBytes(4).toString('hex');
  const [only = '', ofGroup] = [option('only'), option('group')];
  const chosen = kinds.filter(
    ({ name, group }) => isNamed(name, only) && (ofGroup === undefined || group === ofGroup),
  );
  const each = Number(
    option('each') ?? (options.includes('small') ? OF_SMALL : Math.ceil(MEASUREMENTS / chosen.length)),
  );
  const jobs = chosen.flatMap(({ name }) =>
    Array.from({ length: each }, (_, index): Job => ({ kind: name, seed: `${seed}-${index}` })),
  );
  if (chosen.length > 0) {
    const verdicts = await runAll<Verdict>('process.ts', jobs);
    console.log(`\nnpm run bench -- honesty seed=${seed} each=${each}: ${verdicts.length} measurements\n`);
    printKinds(chosen, verdicts);
    printQuantities(chosen, verdicts);
    if (options.includes('why')) printReasons(verdicts);
    if (only === '' || READOUT.includes(only)) await benchReadout({ seed, each, ofGroup });
  }
  if (ofGroup === undefined ? only === '' : ofGroup === 'checks') {
    const ofChecks = Number(option('each') ?? (options.includes('small') ? OF_SMALL : CHECKS));
    const [why, configured] = [options.includes('why'), options.includes('configured')];
    await benchChecks({ seed, only, each: ofChecks, why, configured });
  }
  if (ofGroup === undefined ? only === '' : ofGroup === 'jumps') {
    const ofJumps = Number(option('each') ?? (options.includes('small') ? OF_SMALL : JUMPS));
    await benchJumps({ seed, only, each: ofJumps });
  }
}

/** Measures devices twice, and prints how often passes of a jump confirmed each other wrongly. */
async function benchJumps({ seed, only, each }: { seed: string; only: string; each: number }) {
  const jobs = jumpKinds
    .filter(({ name }) => isNamed(name, only))
    .flatMap(({ name }) =>
      Array.from({ length: each }, (_, index) => ({ kind: name, seed: `${seed}-${index}` })),
    );
  console.log(
    `\nnpm run bench -- honesty group=jumps seed=${seed} each=${each}: ${jobs.length} measurements`,
  );
  printJumps((await runAll<JumpTrial[]>('jumps-process.ts', jobs)).flat());
}

/** Whether a name matches a regular expression, such as a part of it. */
function isNamed(name: string, expression: string): boolean {
  return new RegExp(expression).test(name);
}

/** Makes checks of devices within their tolerances and beyond them, and prints how often they were wrong. */
async function benchChecks(options: {
  seed: string;
  only: string;
  each: number;
  why: boolean;
  configured: boolean;
}) {
  const { seed, only, each, why, configured } = options;
  const kindsOfChecks = checkedKinds.filter(({ name }) => isNamed(name, only));
  const jobs = kindsOfChecks.flatMap(({ name }) =>
    (['within', 'beyond'] as const).flatMap((state) =>
      Array.from({ length: each }, (_, index) => ({
        kind: name,
        state,
        seed: `${seed}-${index}`,
        configured,
      })),
    ),
  );
  const tolerances = configured ? ' configured' : '';
  console.log(
    `\nnpm run bench -- honesty group=checks seed=${seed} each=${each}${tolerances}: ${jobs.length} checks`,
  );
  printChecks(await runAll<CheckedTrial>('checks-process.ts', jobs), why);
}

/** What `only` names the readout by. */
const READOUT = 'readout after full calibration';
/** The readout of a calibrated qubit shall lack so little to the best that its device allows. */
const READOUT_GOAL = 0.02;

/** Tunes the readout of fresh devices as the full calibration does, and prints what it lacks to the best they allow. */
async function benchReadout({ seed, each, ofGroup }: { seed: string; each: number; ofGroup?: string }) {
  const groups: Record<ReadoutDevices, Group> = { usual: 'healthy', wide: 'extreme' };
  const chosen = READOUT_DEVICES.filter((devices) => ofGroup === undefined || groups[devices] === ofGroup);
  if (chosen.length === 0) return;
  const jobs = chosen.flatMap((kind) =>
    Array.from({ length: each }, (_, index): Job => ({ kind, seed: `${seed}-${index}` })),
  );
  const tuned = await runAll<TunedReadout>('readout-process.ts', jobs);
  console.log(`\n${READOUT}, below the best that the device allows`.padEnd(81));
  for (const devices of chosen) {
    const done = tuned.filter((each) => each.devices === devices && each.refused === null);
    const lacking = done.map(({ allowed, reached }) => allowed - reached);
    const beyond = done.filter(({ allowed, reached }) => allowed - reached > READOUT_GOAL);
    const mean = lacking.reduce((sum, value) => sum + value, 0) / lacking.length;
    console.log(
      `  ${devices} devices: ${done.length} tuned, mean ${mean.toFixed(4)}, worst ${Math.max(...lacking).toFixed(4)}, beyond ${READOUT_GOAL}: ${beyond.length}`,
    );
    for (const { seed: of, allowed, reached } of beyond) {
      console.log(`    ${of}: ${reached.toFixed(4)} of ${allowed.toFixed(4)}`);
    }
  }
  for (const { devices, seed: of, refused } of tuned) {
    if (refused !== null) console.log(`  ${devices} ${of} was not tuned: ${refused}`);
  }
}

/** Gives each process its next job when it has done one. */
async function runAll<Answer>(program: string, jobs: readonly Job[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const path = fileURLToPath(new URL(`./honesty/${program}`, import.meta.url));
  await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      // JSON has no infinite pulls.
      const child = fork(path, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
      await new Promise<void>((resolve, reject) => {
        const give = () => {
          const job = jobs[next];
          next += 1;
          if (job === undefined) child.disconnect();
          else child.send(job);
        };
        child.on('message', (answer: Answer) => {
          answers.push(answer);
          give();
        });
        child.on('exit', (code) =>
          code === 0 ? resolve() : reject(new Error(`A process of the campaign ended with ${code}.`)),
        );
        give();
      });
    }),
  );
  return answers;
}

function countOf(verdicts: readonly Verdict[], outcome: Outcome): number {
  return verdicts.filter((verdict) => verdict.outcome === outcome).length;
}

function line(name: string, verdicts: readonly Verdict[]): string {
  const [right, wrong, refused] = (['accepted', 'false', 'refused'] as const).map((outcome) =>
    String(countOf(verdicts, outcome)).padStart(9),
  );
  return `${name.padEnd(80)}${String(verdicts.length).padStart(9)}${right}${wrong}${refused}`;
}

const TITLES: Readonly<Record<Group, string>> = {
  healthy: 'HEALTHY',
  extreme: 'EXTREME',
  imperfect: 'IMPERFECT',
  labs: 'AS LABS SEND IT',
  spoilt: 'SPOILT',
};

function printKinds(chosen: readonly Kind[], verdicts: readonly Verdict[]): void {
  console.log(`${''.padEnd(80)}        n accepted    false  refused`);
  for (const group of ['healthy', 'extreme', 'imperfect', 'labs', 'spoilt'] as const) {
    const rows = new Map<string, Set<string>>();
    for (const { name, family = name } of chosen.filter((kind) => kind.group === group)) {
      rows.set(family, (rows.get(family) ?? new Set()).add(name));
    }
    const ofKinds = (names: ReadonlySet<string>) => verdicts.filter(({ kind }) => names.has(kind));
    console.log(line(TITLES[group], ofKinds(new Set([...rows.values()].flatMap((names) => [...names])))));
    for (const [row, names] of rows) console.log(line(`  ${row}`, ofKinds(names)));
  }
  const wrong = countOf(verdicts, 'false');
  const accepted = wrong + countOf(verdicts, 'accepted');
  console.log(`\nfalse of all accepted: ${percent(wrong, accepted)}`);
  const healthy = new Set(chosen.filter(({ group }) => group === 'healthy').map(({ name }) => name));
  const good = verdicts.filter(({ kind }) => healthy.has(kind));
  console.log(`refused of all healthy: ${percent(countOf(good, 'refused'), good.length)}\n`);
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;
}

/** Bias, RMS and reach of the pulls. What is exact, and was so in all measurements, is not listed. */
function printQuantities(chosen: readonly Kind[], verdicts: readonly Verdict[]): void {
  console.log(
    `${`quantity of healthy and extreme kinds; * beside ${HONEST.from} to ${HONEST.to} by more than chance`.padEnd(80)}        n     bias      rms   in 68%   in 95%`,
  );
  const clean = new Set(chosen.filter(({ group }) => group !== 'spoilt').map(({ name }) => name));
  const pulls = new Map<string, number[]>();
  for (const verdict of verdicts) {
    if (!clean.has(verdict.kind) || verdict.outcome !== 'accepted') continue;
    for (const [name, pull] of Object.entries(verdict.pulls)) {
      const key = `${verdict.kind}: ${name}`;
      pulls.set(key, [...(pulls.get(key) ?? []), pull]);
    }
  }
  for (const [name, values] of pulls) {
    if (values.every((pull) => pull === 0)) continue;
    const { count, bias, rms, within, beside } = summaryOf(values);
    const parts = [within.most, within.nearlyAll].map((part) => part.toFixed(2).padStart(9)).join('');
    console.log(
      `  ${name.padEnd(78)}${String(count).padStart(9)}${bias.toFixed(2).padStart(9)}${rms.toFixed(2).padStart(9)}${parts}${beside ? ' *' : ''}`,
    );
  }
}

function printReasons(verdicts: readonly Verdict[]): void {
  for (const { kind, seed, outcome, message, pulls } of verdicts) {
    if (outcome === 'accepted') continue;
    const far = Object.entries(pulls).map(([name, pull]) => `${name} ${pull.toFixed(1)}`);
    console.log(`${outcome} ${kind} ${seed}: ${message ?? far.join(', ')}`);
  }
}
