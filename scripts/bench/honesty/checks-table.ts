import { type CheckedTrial, checkedKinds, type DeviceState } from './checks.ts';
import type { Kind } from './model.ts';

const WIDTH = 66;
/**
 * Maximum fractions: of devices out of specification that pass, of devices within it that fail, and of the task's time.
 */
const GOALS = { missed: 0.01, alarmed: 0.02, time: 0.15 } as const;

interface Row {
  name: string;
  trials: readonly CheckedTrial[];
}

function count(
  trials: readonly CheckedTrial[],
  state: DeviceState,
  outcome: CheckedTrial['outcome'],
): number {
  return trials.filter((trial) => trial.state === state && trial.outcome === outcome).length;
}

function share(part: number, whole: number): number {
  return part / Math.max(1, whole);
}

function percent(value: number, goal?: number): string {
  const mark = goal !== undefined && value > goal ? '*' : ' ';
  return `${(100 * value).toFixed(1)}${mark}`.padStart(9);
}

function line({ name, trials }: Row): string {
  const planned = trials.filter(({ outcome }) => outcome !== 'not planned');
  const [within, beyond] = (['within', 'beyond'] as const).map((state) =>
    planned.filter((trial) => trial.state === state),
  );
  const of = { within: within?.length ?? 0, beyond: beyond?.length ?? 0 };
  const time = share(
    planned.reduce((sum, { part }) => sum + part, 0),
    planned.length,
  );
  return [
    `  ${name}`.padEnd(WIDTH),
    String(planned.length).padStart(7),
    percent(share(count(planned, 'beyond', 'in_specification'), of.beyond), GOALS.missed),
    percent(share(count(planned, 'within', 'out_of_specification'), of.within), GOALS.alarmed),
    percent(share(count(planned, 'within', 'bad_data'), of.within)),
    percent(share(count(planned, 'beyond', 'bad_data'), of.beyond)),
    percent(share(trials.length - planned.length, trials.length)),
    percent(time, GOALS.time),
  ].join('');
}

function rowsOf(kinds: readonly Kind[], trials: readonly CheckedTrial[]): Row[] {
  return kinds.map(({ name }) => ({ name, trials: trials.filter(({ kind }) => kind === name) }));
}

/** Prints, for each kind, how often its check was wrong, undecided or not planned, and its hardware time. */
export function printChecks(trials: readonly CheckedTrial[], why: boolean): void {
  const titles = ['n', 'missed', 'alarmed', 'bad in', 'bad out', 'unplan.', 'time'];
  console.log(
    `\nchecks, in %; * beyond the goal${''.padEnd(WIDTH - 31)}${titles.map((title, index) => title.padStart(index === 0 ? 7 : 8) + (index === 0 ? '' : ' ')).join('')}`,
  );
  for (const group of ['healthy', 'imperfect'] as const) {
    const measured = new Set(trials.map(({ kind }) => kind));
    const rows = rowsOf(
      checkedKinds.filter((kind) => kind.group === group && measured.has(kind.name)),
      trials,
    );
    if (rows.length === 0) continue;
    console.log(line({ name: group.toUpperCase(), trials: rows.flatMap((row) => row.trials) }));
    for (const row of rows) console.log(line(row));
  }
  if (!why) return;
  for (const { kind, state, seed, outcome, reason } of trials) {
    const right = state === 'within' ? 'in_specification' : 'out_of_specification';
    if (outcome !== right) console.log(`${state}, ${outcome} ${kind} ${seed}: ${reason}`);
  }
}
