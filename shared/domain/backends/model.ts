import { z } from 'zod';
import { timestamp } from '../../kernel/wire.ts';
import { taskNames } from '../../tasks/catalog.ts';
import { taskType } from '../../tasks/model.ts';
import { taskNamePattern } from '../../tasks/own-tasks.ts';

/** Sort orders of task files; the first is used for unknown values. */
export const sortOrders = ['type_then_name', 'name_only', 'file_path', 'category'] as const;

/**
 * A task name in a request. The API's description names the catalog as examples and allows every name that a lab may give to
 * a task of its own. The service checks which tasks the project has.
 */
export const taskName = z.string().meta({ pattern: taskNamePattern.source, examples: taskNames() });

/** A parameter of a task definition; `value` is the default, and a sweep has three numbers. */
export const definitionParameter = z.object({
  unit: z.string(),
  value_type: z.string(),
  value: z.array(z.string()),
  description: z.string(),
});

/** Line of GET /tasks. */
const taskDefinitionItem = z
  .object({
    name: z.string(),
    description: z.string(),
    backend: z.string(),
    task_type: taskType,
    input_parameters: z.record(z.string(), definitionParameter),
    output_parameters: z.record(z.string(), definitionParameter),
    checked_outputs: z
      .array(z.string())
      .describe('Outputs that the check form of the task compares; empty if it has none.'),
  })
  .meta({ id: 'TaskDefinition' });
export type TaskDefinitionItem = z.infer<typeof taskDefinitionItem>;
export const taskDefinitionList = z.object({ tasks: z.array(taskDefinitionItem) });

const textByName = z.record(z.string(), z.record(z.string(), z.string()));

/** Line of GET /task-files/tasks. */
const taskFileItem = z
  .object({
    name: z.string(),
    class_name: z.string(),
    task_type: taskType,
    description: z.string(),
    file_path: z.string(),
    category: z.string(),
    enabled: z.boolean(),
    input_parameters: textByName,
    run_parameters: textByName,
  })
  .meta({ id: 'TaskFile' });
export type TaskFileItem = z.infer<typeof taskFileItem>;
export const taskFileList = z.object({ tasks: z.array(taskFileItem) });

export const taskFileSettings = z.object({
  default_backend: z.string(),
  default_view_mode: z.string(),
  sort_order: z.string(),
});
export const taskFileBackends = z.object({
  backends: z.array(z.object({ name: z.string(), path: z.string() })),
});
export const backendConfig = z.object({
  default_backend: z.string(),
  backends: z.record(z.string(), z.object({ description: z.string(), tasks: z.array(z.string()) })),
  categories: z.record(z.string(), z.array(z.string())),
});
export const backendList = z.object({
  backends: z.array(z.object({ name: z.string(), username: z.string() })),
});

/** A folder or file of the tasks of a backend; folders come first. */
export interface TaskTreeEntry {
  name: string;
  path: string;
  type: 'file' | 'directory';
  children: TaskTreeEntry[] | null;
}
export const taskTreeEntry: z.ZodType<TaskTreeEntry> = z
  .object({
    name: z.string(),
    path: z.string(),
    type: z.enum(['file', 'directory']),
    get children() {
      return z.array(taskTreeEntry).nullable();
    },
  })
  .meta({ id: 'TaskTreeEntry' });

/** The declaration of a task as text. */
export const taskFileContent = z.object({
  content: z.string(),
  path: z.string(),
  name: z.string(),
  size: z.number().int(),
  modified: timestamp.describe(
    'When the file was edited; for a shipped one, when this process read the catalog.',
  ),
});
export type TaskFileContent = z.infer<typeof taskFileContent>;
