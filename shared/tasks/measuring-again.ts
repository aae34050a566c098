import type { ResolvedParameter } from './model.ts';

/** Passes that a task may make: its first, and two more with other settings. */
export const MOST_PASSES = 3;

/** Settings with which a measurement may find what it did not, in place of those that it had, and why. */
export interface Again {
  run: Readonly<Record<string, Pick<ResolvedParameter, 'value' | 'value_type'>>>;
  /** A sentence without a full stop. */
  reason: string;
}

/** The run parameters of the next pass: those of the one before, but for what is asked for. Unknown names are left out. */
export function runOfNextPass<Parameter extends Pick<ResolvedParameter, 'value' | 'value_type'>>(
  run: Readonly<Record<string, Parameter>>,
  { run: changes }: Again,
): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(run).map(([name, parameter]) => [
      name,
      Object.hasOwn(changes, name) ? { ...parameter, ...changes[name] } : parameter,
    ]),
  );
}
