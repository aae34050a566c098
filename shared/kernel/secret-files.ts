import { readFileSync } from 'node:fs';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The file that is to hold a setting cannot be used. The message names the variable, not its value. */
export class SecretFileError extends Error {}

/**
 * A setting from the environment. Where the variable itself is unset, `<name>_FILE` may name a file with the value, as
 * secrets of containers are given; one line break at its end is not part of the value.
 * @throws SecretFileError for a file that cannot be read, or where both variables are set
 */
export function settingOf(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  const variable = `${name}_FILE`;
  const path = environment[variable];
  if (path === undefined || path === '') return value;
  if (value !== undefined && value !== '') {
    throw new SecretFileError(`The settings ${name} and ${variable} are both set; set one of them.`);
  }
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch {
    throw new SecretFileError(`The setting ${variable} is wrong: the file cannot be read.`);
  }
}
