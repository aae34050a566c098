import { nearestName } from '../../../shared/kernel/near-names.ts';
import { show } from './values.ts';

/** Options of a call by name. Options that are missing, undefined or null are undefined. */
export type Options = { [name: string]: unknown };

/** Reads the options of a call. An unknown name is refused, with the nearest known name in the message. */
export function readOptions(given: unknown, known: readonly string[], call: string): Options {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${call} takes one object: { ${known.slice(0, 3).join(', ')} }, not ${show(given)}`);
  }
  const options: Options = {};
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name))
      throw new TypeError(`${call} does not know "${name}"; ${adviceOn(name, known)}`);
    if (value !== undefined && value !== null) options[name] = value;
  }
  return options;
}

/** What to write in place of an unknown name. */
function adviceOn(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `it takes ${known.join(', ')}` : `did you mean "${nearest}"?`;
}

/** One of several words. `call` includes the option's name, as in `session.run: mode`. */
export function choiceOption<T extends string>(
  value: unknown,
  choices: readonly T[],
  call: string,
): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const nearest = typeof value === 'string' ? nearestName(value, choices) : undefined;
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new RangeError(`${call} must be one of ${choices.join(', ')}, but got ${show(value)}${hint}`);
}

/** A whole number of at least 1. */
export function countOption(value: unknown, call: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw new RangeError(`${call} must be 1 or more, but got ${show(value)}`);
}

export function flagOption(value: unknown, call: string): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw new TypeError(`${call} must be true or false, but got ${show(value)}`);
}

/** A text of 1 to `limit` characters. */
export function textOption(value: unknown, call: string, limit = 100): string {
  if (typeof value === 'string' && value !== '' && value.length <= limit) return value;
  throw new TypeError(`${call} must be a text of 1 to ${limit} characters, but got ${show(value)}`);
}
