import type { ResolvedParameter } from './model.ts';

/** Maximum number of passes of a task: the first one and two more with other settings. */
export const MAX_PASSES = 3;

/** Changed settings with which a failed measurement may succeed, with the reason. */
export interface NextPassSettings {
  run: Readonly<Record<string, Pick<ResolvedParameter, 'value' | 'value_type'>>>;
  /** A message without a full stop. */
  reason: string;
}

/** The request of one of several targets that are measured together. */
export interface TargetRequest extends NextPassSettings {
  target: string;
}

/** Combines the requests of targets that are measured together: if several request the same run parameter, the first wins. */
export function combinedSettings(requests: readonly NextPassSettings[]): Pick<NextPassSettings, 'run'> {
  return { run: Object.fromEntries([...requests].reverse().flatMap(({ run }) => Object.entries(run))) };
}

/** The reason why a target is measured again: its own reason, and those of other targets whose settings it shares. */
export function combinedReason(of: TargetRequest, requests: readonly TargetRequest[]): string {
  const { run } = combinedSettings(requests);
  const others = requests.filter(
    (request) =>
      request !== of &&
      Object.entries(request.run).some(
        ([name, setting]) => setting === run[name] && !isSame(setting, of.run[name]),
      ),
  );
  const reasons = others.map(({ target, reason }) => `with settings for target ${target}: ${reason}`);
  return [of.reason, ...reasons].join('; ');
}

function isSame(
  setting: NextPassSettings['run'][string],
  other: NextPassSettings['run'][string] | undefined,
): boolean {
  return JSON.stringify(setting.value) === JSON.stringify(other?.value);
}

/** The run parameters of the next pass: those of the previous pass with the requested changes. Unknown names are left out. */
export function runOfNextPass<Parameter extends Pick<ResolvedParameter, 'value' | 'value_type'>>(
  run: Readonly<Record<string, Parameter>>,
  { run: changes }: Pick<NextPassSettings, 'run'>,
): Record<string, Parameter> {
  return Object.fromEntries(
    Object.entries(run).map(([name, parameter]) => [
      name,
      Object.hasOwn(changes, name) ? { ...parameter, ...changes[name] } : parameter,
    ]),
  );
}
