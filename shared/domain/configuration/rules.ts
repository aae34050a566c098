import { extname } from 'node:path';
import { CalibronError } from '../../kernel/errors.ts';
import { isShown } from '../../kernel/files/shown-names.ts';
import { isUuid, type ProjectId, projectIdSchema } from '../../kernel/ids.ts';
import type { TextKind } from '../parsing/index.ts';

const kinds: Readonly<Record<string, TextKind>> = { yaml: 'yaml', yml: 'yaml', json: 'json' };

/** Kind of text from a file extension or its name in a request; null for any other. */
export function textKindOf(ending: string): TextKind | null {
  const name = ending.toLowerCase();
  return Object.hasOwn(kinds, name) ? (kinds[name] ?? null) : null;
}

/** Kind of text in a file; null for files that are neither YAML nor JSON. */
export function textKindOfFile(path: string): TextKind | null {
  return textKindOf(extname(path).slice(1));
}

/** A chip identified by project and chip id; chips of several projects may have the same id. */
export interface ChipOfProject {
  project_id: ProjectId;
  chip_id: string;
}

/** The folder of a chip within the configuration. It is inside the folder of its project, whose members may change it. */
export function chipFolder({ project_id, chip_id }: ChipOfProject): string {
  return `${project_id}/${chip_id}`;
}

/** The project in whose folder of the configuration a path is; null for what belongs to no project. */
export function projectOfConfiguration(path: string): ProjectId | null {
  const [first = ''] = path.split('/');
  const name = first.normalize('NFKC').toLowerCase();
  return isUuid(name) ? projectIdSchema.parse(name) : null;
}

/** Whether a file names projects, whose ids are not for callers without a token. */
export function namesProjects(path: string): boolean {
  return path.normalize('NFKC').toLowerCase() === 'backends.json';
}

/** Entries that identify the folder of a chip. */
export const CHIP_FILES = ['params', 'config/wiring.yaml'] as const;

/** Whether a path names a file of a chip outside any project's folder. Such files are not read. */
export function isFormerChipFile(path: string): boolean {
  const [, ...inside] = path.normalize('NFKC').toLowerCase().split('/');
  return inside.length === 2 && CHIP_FILES.some((file) => `${inside.join('/')}/`.startsWith(`${file}/`));
}

/** Folder of the configuration that holds edited task files. */
const EDITED_TASK_FILES = 'task-files';

/**
 * Path of an edited task file in the configuration. Paths of the task tree have no extension; the file is YAML.
 * @throws bad_request for a path that leads elsewhere
 */
export function editedTaskFile(path: string): string {
  checkConfigurationPath(path);
  return `${EDITED_TASK_FILES}/${path}${textKindOfFile(path) === null ? '.yaml' : ''}`;
}

/** Maximum number of parts and of characters in the path of a written file; typical paths have five, and fifty. */
const MAX_WRITTEN = { parts: 16, characters: 400 };

/** Checks the path of a file to write as {@link checkConfigurationPath} does, and its length. @throws bad_request */
export function checkWrittenPath(path: string): void {
  const { parts, characters } = MAX_WRITTEN;
  if (path.length > characters || path.split('/').length > parts) {
    throw new CalibronError(
      'bad_request',
      `The path of a file has at most ${parts} parts and ${characters} characters.`,
    );
  }
  checkConfigurationPath(path);
  if (isFormerChipFile(path)) {
    throw new CalibronError(
      'bad_request',
      'The files of a chip are in the folder of its project: <project id>/<chip id>/params or .../config.',
    );
  }
}

/**
 * Checks the path of a file in the configuration: names joined by `/`, relative to its directory, none hidden.
 * @throws bad_request
 */
export function checkConfigurationPath(path: string): void {
  const parts = path.split('/');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  const isPlain = (part: string) => part !== '' && isShown(part) && !/[\u0000-\u001f\u007f\\]/.test(part);
  if (!parts.every(isPlain)) {
    throw new CalibronError(
      'bad_request',
      'Name a file by its path within the configuration; no part may begin with a dot.',
    );
  }
}

/** Files and folders at the root of the configuration that all projects share, including the content of the folders. */
const SHARED = new Set([
  'backends.json',
  'copilot.yaml',
  'maintenance.yaml',
  'metrics.yaml',
  'task-knowledge',
  'topologies',
]);

/** Whether a path names a shared file or folder. Names are compared the way case-insensitive file systems may compare them. */
export function isSharedConfiguration(path: string): boolean {
  const [first = ''] = path.split('/');
  return SHARED.has(first.normalize('NFKC').toLowerCase());
}
