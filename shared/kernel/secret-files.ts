import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Invalid settings: one message for each mistake, without the value. */
export class SettingsError extends Error {
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

/**
 * Reads a setting from the environment. If the variable is unset, `<name>_FILE` may name a file with the value, as is usual
 * for container secrets. One trailing line break is removed.
 * @throws SettingsError if the file cannot be read or both variables are set
 */
export function settingOf(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  const variable = `${name}_FILE`;
  const path = environment[variable];
  if (path === undefined || path === '') return value;
  if (value !== undefined && value !== '') {
    throw new SettingsError([`The settings ${name} and ${variable} are both set; set one of them.`]);
  }
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    throw new SettingsError([`The setting ${variable} is wrong: the file cannot be read.`]);
  }
}

/** The settings of these names that have a value. @throws SettingsError */
export function givenSettings(environment: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = settingOf(environment, name);
      return value === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );
}
