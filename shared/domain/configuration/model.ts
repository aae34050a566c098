import { z } from 'zod';
import { timestamp } from '../../kernel/wire.ts';

/** Maximum size in bytes of a configuration file. */
export const MAX_FILE_BYTES = 1024 * 1024;

/** A file or a directory of the configuration; `children` is null for files and for empty directories. */
export interface TreeEntry {
  name: string;
  path: string;
  type: 'directory' | 'file';
  children: TreeEntry[] | null;
}

export const treeEntry: z.ZodType<TreeEntry> = z
  .object({
    name: z.string(),
    path: z.string().describe('Path within the configuration, as the other addresses take it.'),
    type: z.enum(['directory', 'file']),
    get children() {
      return z.array(treeEntry).nullable();
    },
  })
  .meta({ id: 'ConfigurationEntry' });

export const fileContent = z
  .object({
    content: z.string(),
    path: z.string(),
    name: z.string(),
    size: z.number().int().describe('Size in bytes.'),
    modified: timestamp,
  })
  .meta({ id: 'ConfigurationFile' });
export type FileContent = z.infer<typeof fileContent>;

export const writeRequest = z.object({
  path: z.string().describe('Path within the configuration; ends in .yaml, .yml or .json.'),
  content: z.string().describe('YAML or JSON of at most 1 MiB.'),
});

export const writeAnswer = z.object({ message: z.string(), path: z.string() });

export const validateRequest = z.object({
  content: z.string(),
  file_type: z.string().describe('`yaml`, `yml` or `json`, in upper or lower case.'),
});

export const validateAnswer = z.object({
  valid: z.boolean(),
  message: z.string(),
  error: z.string().optional().describe('What is wrong, with line and column; only where it is not valid.'),
});
export type ValidateAnswer = z.infer<typeof validateAnswer>;

export const reloadAnswer = z.object({
  cleared: z.array(z.string()).describe('Files that every process rereads.'),
});

export const repositoryStatus = z
  .union([
    z.object({ is_git_repo: z.literal(false), message: z.string() }),
    z.object({
      is_git_repo: z.literal(true),
      branch: z.string().nullable().describe('Null when no branch is checked out.'),
      commit: z.string().nullable().describe('First 8 characters; null before the first commit.'),
      commit_message: z.string().nullable(),
      is_dirty: z.boolean(),
      changed_files: z.array(z.string()),
      untracked_files: z.array(z.string()),
      has_remote_updates: z.boolean(),
    }),
  ])
  .meta({ id: 'RepositoryStatus' });
export type RepositoryStatus = z.infer<typeof repositoryStatus>;

export const pullAnswer = z.object({
  success: z.literal(true),
  commit: z.string(),
  commit_message: z.string(),
  message: z.string(),
});
export type PullAnswer = z.infer<typeof pullAnswer>;

export const pushRequest = z.object({
  commit_message: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .refine((text) => !text.includes('\0'), 'must have no NUL') // a program argument cannot contain NUL
    .default('Update the configuration'),
});

export const pushAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  commit: z.string().nullable().describe('First 8 characters; null when there was nothing to push.'),
  commit_message: z.string().nullable(),
  branch: z.string().nullable(),
  pr_url: z
    .string()
    .nullable()
    .describe('Always null: commits go to the branch itself, and no pull request is made.'),
  pr_number: z.number().int().nullable().describe('Always null.'),
});
export type PushAnswer = z.infer<typeof pushAnswer>;

/** A port, with the default port of its server. */
const port = (usual: number) => z.number().int().default(usual);

/**
 * GET /settings. The names come from an installation with an orchestrator over SQL and a document store. Settings that Calibron
 * does not have or know are empty or have the documented default.
 */
export const publicSettings = z
  .object({
    env: z.string(),
    client_url: z.string(),
    api_cors_origins: z.array(z.string()),
    orchestrator_api_url: z.string().describe('Address of the Temporal server.'),
    chat_channel_id: z.string(),
    sqldb_data_path: z.string().describe('Empty: the Temporal server looks after its own data.'),
    docdb_data_path: z.string().describe('Empty: the document store looks after its own data.'),
    calib_data_path: z.string(),
    docdb_name: z.string(),
    docdb_port: port(27017),
    docdb_express_port: port(8081),
    sqldb_port: port(5432),
    orchestrator_port: port(4200),
    api_port: port(5715),
    ui_port: port(5714),
    log_level: z.string(),
    timezone: z.string(),
    prefect_api_url: z.string().describe('As `orchestrator_api_url`.'),
    slack_channel_id: z.string().describe('As `chat_channel_id`.'),
    postgres_data_path: z.string().describe('As `sqldb_data_path`.'),
    mongo_data_path: z.string().describe('As `docdb_data_path`.'),
    mongo_db_name: z.string().describe('As `docdb_name`.'),
    mongo_port: port(27017),
    mongo_express_port: port(8081),
    postgres_port: port(5432),
    prefect_port: port(4200),
  })
  .meta({ id: 'Settings' });
