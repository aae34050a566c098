import type { ResolvedParameter } from './model.ts';

/** Passes that a task may make: its first, and two more with other settings. */
export const MOST_PASSES = 3;

/** Settings with which a measurement may find what it did not, in place of those that it had, and why. */
export interface Again {
  run: Readonly<Record<string, Pick<ResolvedParameter, 'value' | 'value_type'>>>;
  /** A sentence without a full stop. */
  reason: string;
}

/** What one of the targets that are measured together asks for. */
export interface TargetWish extends Again {
  target: string;
}

/** What targets that are measured together ask for, as one: of a run parameter that several ask for, the first wish. */
export function togetherAgain(wishes: readonly Again[]): Pick<Again, 'run'> {
  return { run: Object.fromEntries([...wishes].reverse().flatMap(({ run }) => Object.entries(run))) };
}

/** Why a target is measured again as it is: its own reason, and those of others whose settings it gets with them. */
export function reasonTogether(of: TargetWish, wishes: readonly TargetWish[]): string {
  const { run } = togetherAgain(wishes);
  const others = wishes.filter(
    (wish) =>
      wish !== of &&
      Object.entries(wish.run).some(
        ([name, setting]) => setting === run[name] && !isSame(setting, of.run[name]),
      ),
  );
  const told = others.map(({ target, reason }) => `with settings for target ${target}: ${reason}`);
  return [of.reason, ...told].join('; ');
}

function isSame(setting: Again['run'][string], other: Again['run'][string] | undefined): boolean {
  return JSON.stringify(setting.value) === JSON.stringify(other?.value);
}

/** The run parameters of the next pass: those of the one before, but for what is asked for. Unknown names are left out. */
export function runOfNextPass<Parameter extends Pick<ResolvedParameter, 'value' | 'value_type'>>(
  run: Readonly<Record<string, Parameter>>,
  { run: changes }: Pick<Again, 'run'>,
): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(run).map(([name, parameter]) => [
      name,
      Object.hasOwn(changes, name) ? { ...parameter, ...changes[name] } : parameter,
    ]),
  );
}
