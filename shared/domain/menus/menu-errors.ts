import { CalibronError } from '../../kernel/errors.ts';

/** A menu that cannot be saved or run, with all its problems. */
export function badMenu(name: string, problems: readonly string[]): CalibronError {
  return new CalibronError('bad_request', `The menu ${name} cannot be used: ${problems.join('; ')}.`);
}

export function noSuchMenu(): CalibronError {
  return new CalibronError('not_found', 'There is no such menu in this project.');
}

/** The user has another menu with this name. */
export function menuNameTaken(name: string): CalibronError {
  return new CalibronError(
    'conflict',
    `You already have a menu ${name}. Change that one, or choose another name.`,
  );
}
