import type { StageCommand } from '../flows/model.ts';

/** Restricts a stage to the allowed targets. Without a list, all targets are allowed. @returns null when no target remains */
export function restrictedTo(
  command: StageCommand,
  allowed: readonly string[] | undefined,
): StageCommand | null {
  if (!allowed) return command;
  const kept = new Set(allowed);
  const targets = command.targets.filter((target) => kept.has(target));
  if (targets.length === 0) return null;
  if (!command.schedule) return { ...command, targets };
  const schedule = command.schedule
    .map((step) =>
      step.map((lane) => lane.filter((target) => kept.has(target))).filter((lane) => lane.length > 0),
    )
    .filter((step) => step.length > 0);
  return { ...command, targets, schedule };
}

/** Targets of a stage that pass: those that passed their measurement and those that an earlier run has calibrated. */
export function passedOf(
  { targets }: Pick<StageCommand, 'targets'>,
  measured: readonly string[],
  calibrated: readonly string[] = [],
): string[] {
  const passed = new Set([...measured, ...calibrated]);
  return targets.filter((target) => passed.has(target));
}
