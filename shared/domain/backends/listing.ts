import { stringify } from 'yaml';
import { CalibronError } from '../../kernel/errors.ts';
import { isoTime } from '../../kernel/time.ts';
import { taskCatalog } from '../../tasks/catalog.ts';
import { checkOf } from '../../tasks/checks.ts';
import type { Bounds, TaskDefinition } from '../../tasks/model.ts';
import type { BackendSettings } from './backend-settings.ts';
import type { TaskDefinitionItem, TaskFileContent, TaskFileItem, TaskTreeEntry } from './model.ts';

/**
 * Lists of tasks and backends for clients: the catalog filtered by the operator's settings.
 * @param own tasks that backends declare
 */
export function createTaskListing(
  settings: BackendSettings,
  own: readonly TaskDefinition[] = [],
  catalog: readonly TaskDefinition[] = taskCatalog,
) {
  const names = Object.keys(settings.backends).sort();
  const readAt = isoTime(new Date());

  /** Tasks that a backend can run. The catalog does not know a lab's own backend, which may run any task. */
  const tasksOf = (backend: string) => {
    const declared = catalog.filter((task) => task.backends.includes(backend));
    const names = new Set(catalog.map(({ name }) => name));
    const ownTasks = own.filter((task) => task.declared?.backend === backend && !names.has(task.name));
    return [...(declared.length > 0 ? declared : catalog), ...ownTasks];
  };
  /** The operator's list selects tasks of the catalog; what a backend declares is offered. */
  const isEnabled = (backend: string, task: Pick<TaskDefinition, 'name' | 'declared'>) =>
    task.declared !== undefined || (settings.backends[backend]?.tasks?.includes(task.name) ?? true);

  return {
    /** Names of the default backend and of the client's default view. */
    settings: () => ({
      default_backend: settings.default_backend,
      default_view_mode: settings.default_view_mode,
      sort_order: settings.sort_order,
    }),

    /** The backends and their maintainers, by name. */
    backends: () => names.map((name) => ({ name, username: settings.backends[name]?.username ?? '' })),

    /** Every backend with the tasks that clients offer on it; categories in the order of a calibration. */
    config() {
      const categories: Record<string, string[]> = {};
      for (const { name, category } of [...catalog, ...own])
        categories[category] = [...new Set([...(categories[category] ?? []), name])];
      return {
        default_backend: settings.default_backend,
        backends: Object.fromEntries(
          names.map((backend) => {
            const tasks = tasksOf(backend).filter((task) => isEnabled(backend, task));
            const description = settings.backends[backend]?.description ?? '';
            return [backend, { description, tasks: tasks.map(({ name }) => name).sort() }];
          }),
        ),
        categories: Object.fromEntries(
          Object.entries(categories).map(([category, tasks]) => [category, tasks.sort()]),
        ),
      };
    },

    /** Task definitions by name, then backend. With a backend, only its own; empty for an unknown one. */
    definitions(backend?: string): TaskDefinitionItem[] {
      const wanted = names.filter((name) => backend === undefined || name === backend);
      return wanted
        .flatMap((name) => tasksOf(name).map((task) => definitionOf(task, name)))
        .sort((a, b) => compare(a.name, b.name) || compare(a.backend, b.backend));
    },

    /**
     * The tasks of a backend as files. An unknown order counts as `type_then_name`.
     * @throws not_found for an unknown backend
     */
    files(backend: string, wanted: { sortOrder?: string; enabledOnly: boolean }): TaskFileItem[] {
      if (!names.includes(backend)) throw new CalibronError('not_found', 'There is no such backend.');
      return tasksOf(backend)
        .map((task) => fileOf(task, isEnabled(backend, task)))
        .filter((task) => task.enabled || !wanted.enabledOnly)
        .sort(orderOf(wanted.sortOrder ?? settings.sort_order));
    },

    /** The tasks of a backend as a tree of folders. @throws not_found for an unknown backend */
    tree(backend: string): TaskTreeEntry[] {
      const folders = new Map<string, TaskTreeEntry[]>();
      for (const { file_path } of this.files(backend, { sortOrder: 'file_path', enabledOnly: false })) {
        const [folder = '', name = ''] = file_path.split('/');
        const file = { name, path: `${backend}/${file_path}`, type: 'file' as const, children: null };
        folders.set(folder, [...(folders.get(folder) ?? []), file]);
      }
      return [...folders].map(([name, children]) => ({
        name,
        path: `${backend}/${name}`,
        type: 'directory',
        children,
      }));
    },

    /** The declaration of the task at a path of the tree, as YAML. @throws not_found */
    content(path: string): TaskFileContent {
      const [backend = '', ...rest] = path.split('/');
      const filePath = rest.join('/');
      const task = names.includes(backend)
        ? tasksOf(backend).find((each) => filePathOf(each) === filePath)
        : undefined;
      if (!task) throw new CalibronError('not_found', 'There is no such task file.');
      const {
        class_name: _class,
        file_path: _path,
        enabled,
        ...declared
      } = fileOf(task, isEnabled(backend, task));
      const { output_parameters } = definitionOf(task, backend);
      const content = stringify({ ...declared, enabled, output_parameters });
      const name = filePath.split('/').at(-1) ?? filePath;
      return { content, path, name, size: Buffer.byteLength(content), modified: readAt };
    },
  };
}

/** Compares by code unit, so that the order does not depend on the machine's locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function orderOf(order: string): (a: TaskFileItem, b: TaskFileItem) => number {
  const keysOf = (task: TaskFileItem): string[] => {
    if (order === 'name_only') return [task.name];
    if (order === 'file_path') return [task.file_path, task.name];
    if (order === 'category') return [task.category, task.name];
    return [task.task_type, task.name];
  };
  return (a, b) => {
    const other = keysOf(b);
    return keysOf(a).reduce((result, key, index) => result || compare(key, other[index] ?? ''), 0);
  };
}

function definitionOf(task: TaskDefinition, backend: string): TaskDefinitionItem {
  return {
    name: task.name,
    description: task.description,
    backend,
    task_type: task.taskType,
    input_parameters: mapValues(task.inputs, ({ unit, valueType, fallback, description }) => ({
      unit,
      value_type: valueType,
      value: fallback === undefined ? [] : [String(fallback)],
      description,
    })),
    output_parameters: mapValues(task.outputs, ({ unit, valueType, description }) => ({
      unit,
      value_type: valueType,
      value: [],
      description,
    })),
    checked_outputs: Object.keys(checkOf(task.name)?.tests ?? {}),
  };
}

function fileOf(task: TaskDefinition, enabled: boolean): TaskFileItem {
  return {
    name: task.name,
    class_name: task.name,
    task_type: task.taskType,
    description: task.description,
    file_path: filePathOf(task),
    category: task.category,
    enabled,
    input_parameters: mapValues(task.inputs, ({ unit, valueType, description, required, from, ...more }) => ({
      unit,
      value_type: valueType,
      description,
      required: String(required),
      ...(from === undefined ? {} : { qid_role: from }),
      ...(more.fallback === undefined ? {} : { value: String(more.fallback) }),
      ...limitsOf(more.bounds),
    })),
    run_parameters: mapValues(task.runParameters, ({ unit, valueType, description, value, ...more }) => ({
      unit,
      value_type: valueType,
      description,
      // Null leaves the value to the backend and cannot be written as text.
      ...(value === null ? {} : { value: typeof value === 'string' ? value : JSON.stringify(value) }),
      // If other texts are allowed too, a list of choices would look exhaustive.
      ...(more.choices && !more.orPlaceOrder ? { choices: more.choices.join(', ') } : {}),
      ...limitsOf(more.bounds),
    })),
  };
}

function limitsOf(bounds: Bounds = {}): Record<string, string> {
  const { minimum, maximum } = bounds;
  return {
    ...(minimum === undefined ? {} : { minimum: String(minimum) }),
    ...(maximum === undefined ? {} : { maximum: String(maximum) }),
  };
}

/** A stable file name for a task: `1q_coarse/check_rabi` for CheckRabi. */
function filePathOf({ name, category }: Pick<TaskDefinition, 'name' | 'category'>): string {
  const words = name
    .replace('DRAG', 'DRAG_')
    .replace(/([a-z])([A-Z0-9])/g, '$1_$2')
    .replace(/([A-Z0-9])([A-Z][a-z])/g, '$1_$2');
  const folder = category.replaceAll(/[^A-Za-z0-9]+/g, '_');
  return `${folder}/${words}`.toLowerCase().replaceAll(/_+/g, '_');
}

function mapValues<In, Out>(
  table: Readonly<Record<string, In>>,
  map: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value)]));
}
