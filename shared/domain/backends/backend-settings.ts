import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../kernel/errors.ts';
import { type ProjectId, projectIdSchema } from '../../kernel/ids.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { SettingsError } from '../../kernel/secret-files.ts';
import { taskNames } from '../../tasks/catalog.ts';
import { noSuchTask } from '../../tasks/run-options.ts';
import { sortOrders } from './model.ts';

/** Seconds; the engine needs a heartbeat at least every third of it. */
const heartbeatTimeout = z.number().min(1, 'must be 1 to 3600').max(3600, 'must be 1 to 3600');

const backendSettings = z.strictObject({
  /** Shown to users. */
  description: z.string().default(''),
  /** The user who maintains it. */
  username: z.string().min(1).default('system'),
  /** Tasks that clients offer on it. Default: every task that it can run. */
  tasks: z.array(z.string()).optional(),
  /** Ids of the projects that may use it. Empty or absent: every project. */
  projects: z.array(projectIdSchema.min(1)).default([]),
  /**
   * Seconds without a heartbeat after which its worker counts as dead: for all tasks, or by task, with `default` for the others.
   * Use a long timeout for long measurements: a finished measurement survives any outage of Temporal, but one in progress only
   * survives an outage shorter than this.
   */
  heartbeat_timeout: z.union([heartbeatTimeout, z.record(z.string(), heartbeatTimeout)]).optional(),
});

/** `config/backends.json`, edited by operators: the available backends, and how clients list their tasks. */
const backendsFileContent = z.strictObject({
  default_view_mode: z.enum(['tasks', 'files']).default('tasks'),
  sort_order: z.enum(sortOrders).default('type_then_name'),
  backends: z.record(
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'the name of a backend has letters, digits, . _ -'),
    backendSettings,
  ),
});

/** The file's content, and the backend of runs that do not name one. */
export interface BackendSettings extends z.infer<typeof backendsFileContent> {
  default_backend: string;
}

/** The settings as visible to members of these projects: without backends that none of the projects may use. */
export function usableBy(settings: BackendSettings, projectIds: readonly ProjectId[]): BackendSettings {
  const isUsable = ({ projects }: { projects: readonly ProjectId[] }) =>
    projects.length === 0 || projects.some((each) => projectIds.includes(each));
  return {
    ...settings,
    backends: Object.fromEntries(Object.entries(settings.backends).filter(([, each]) => isUsable(each))),
  };
}

const shipped = new URL('config/backends.json', packageRoot);

/** Name of the file in the configuration. */
const BACKENDS_FILE = 'backends.json';

/** The file as an editable configuration file. */
export function backendsFile(defaultBackend: string) {
  return {
    name: BACKENDS_FILE,
    /** Problems of a content, as messages; empty if it is valid. */
    check(text: string): string[] {
      try {
        parseBackendSettings(text, defaultBackend);
        return [];
      } catch (thrown) {
        if (thrown instanceof SettingsError) return thrown.problems;
        throw thrown;
      }
    },
  };
}

/**
 * Reads `backends.json` from the configuration, or the shipped `config/backends.json` if it has none.
 * @throws SettingsError with a message for every problem
 */
export async function readBackendSettings(
  defaultBackend: string,
  directory: string,
): Promise<BackendSettings> {
  const own = await readFile(join(directory, BACKENDS_FILE), 'utf8').catch((thrown) => {
    if (isMissing(thrown)) return null;
    throw new SettingsError([`config/backends.json cannot be read: ${messageOf(thrown)}.`]);
  });
  return parseBackendSettings(own ?? (await readFile(shipped, 'utf8')), defaultBackend);
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
}

/**
 * Parses a `backends.json`. Backends without a worker may be listed; the default backend must be listed.
 * @throws SettingsError with a message for every problem
 */
function parseBackendSettings(text: string, defaultBackend: string): BackendSettings {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (thrown) {
    throw new SettingsError([`config/backends.json cannot be read: ${messageOf(thrown)}.`]);
  }
  const read = backendsFileContent.safeParse(content);
  if (!read.success) {
    throw new SettingsError(
      read.error.issues.map((issue) => {
        const place = issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
        return `config/backends.json is wrong${place}: ${issue.message}.`;
      }),
    );
  }
  const names = Object.keys(read.data.backends);
  const unknownTasks = (place: string, tasks: readonly string[]) =>
    tasks
      .filter((task) => !taskNames().includes(task))
      .map((task) => `config/backends.json is wrong at ${place}: ${noSuchTask(task, taskNames())}`);
  const problems = Object.entries(read.data.backends).flatMap(
    ([name, { tasks = [], heartbeat_timeout = {} }]) => [
      ...unknownTasks(`backends.${name}.tasks`, tasks),
      ...unknownTasks(
        `backends.${name}.heartbeat_timeout`,
        Object.keys(heartbeat_timeout).filter((task) => task !== 'default'),
      ),
    ],
  );
  if (!names.includes(defaultBackend)) {
    problems.push(
      `The setting DEFAULT_BACKEND names ${defaultBackend}, but config/backends.json lists ${names.join(', ') || 'no backend'}.`,
    );
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return { ...read.data, default_backend: defaultBackend };
}
