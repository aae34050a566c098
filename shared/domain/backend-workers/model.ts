import { z } from 'zod';
import { type ExecutionId, executionIdSchema, type ProjectId, projectIdSchema } from '../../kernel/ids.ts';
import { isoTime } from '../../kernel/time.ts';
import { timestamp } from '../../kernel/wire.ts';

const parameterValue = z.union([
  z.number(),
  z.string(),
  z.boolean(),
  z.null(),
  z.array(z.union([z.number(), z.string()])),
]);

const taskAnnouncement = {
  name: z.string().min(1).max(100),
  description: z.string().max(1000).default(''),
  run_parameters: z
    .record(z.string().max(100), parameterValue)
    .default({})
    .describe("The worker's own defaults of run parameters."),
};

/** A task that a worker has announced, as clients see it. */
const announcedTask = z
  .object({
    ...taskAnnouncement,
    declared: z
      .boolean()
      .default(false)
      .describe('Whether it is a task of the lab, which the worker declares.'),
    problem: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'Why runs cannot use it: its declaration is refused, or it is neither in the catalog nor declared.',
      ),
  })
  .meta({ id: 'AnnouncedTask' });
export type AnnouncedTask = z.infer<typeof announcedTask>;

/** The answer of a worker's activity `describe`. Unknown fields are ignored, so that it can be extended. */
export const backendDescription = z.object({
  contract: z.number().int(),
  identity: z.string().min(1).max(500),
  software: z.string().max(200).default(''),
  version: z.string().max(200).default(''),
  at_once: z.number().int().positive().default(1),
  problem: z.string().max(2000).nullable().default(null),
  tasks: z
    .array(
      z.object({
        ...taskAnnouncement,
        /** For a task that is not in the catalog. Each declaration is checked separately, so a wrong one affects only its task. */
        declaration: z.unknown().optional(),
      }),
    )
    .max(500)
    .default([]),
});
export type BackendDescription = z.infer<typeof backendDescription>;

/** A measurement that the engine has given to a worker. */
export interface GivenMeasurement {
  worker: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  /** Task, targets and attempt in the form that the engine's page shows. */
  what: string;
  /** Completed fraction, between 0 and 1; null if its worker does not report it. */
  progress: number | null;
  since: Date;
}

/** A worker of a backend, as last seen. */
export interface BackendWorkerDocument {
  /** Backend and identity. */
  _id: string;
  backend: string;
  identity: string;
  since: Date;
  seen_at: Date;
  measuring: Omit<GivenMeasurement, 'worker'>[];
  /** When it was last asked to describe itself with an answer; null before. */
  described_at: Date | null;
  /** Null for a worker that cannot describe itself. */
  description: WorkerDescription | null;
}

/** What a worker says about itself, and whether its tasks were accepted. */
export interface WorkerDescription extends Omit<BackendDescription, 'contract' | 'identity' | 'tasks'> {
  tasks: AnnouncedTask[];
}

const currentMeasurement = z
  .object({
    project_id: projectIdSchema.nullable().describe('Null for a project of which you are not a member.'),
    execution_id: executionIdSchema.nullable(),
    what: z.string().nullable().describe('Task, targets and number of the attempt.'),
    progress: z.number().nullable().describe('Completed fraction, if the worker reports it.'),
    since: timestamp,
  })
  .meta({ id: 'CurrentMeasurement' });

/** A worker of GET /backends. */
export const connectedWorker = z
  .object({
    identity: z.string(),
    since: timestamp.describe('When it was first seen.'),
    seen_at: timestamp.describe('When it last asked for work, or was seen measuring.'),
    described_at: timestamp.nullable().describe('Null for a worker that has not described itself.'),
    software: z.string(),
    version: z.string().describe("The version of the lab's own code."),
    at_once: z.number().int().nullable().describe('Measurements that it makes at the same time.'),
    problem: z.string().nullable().describe('What is wrong with the instrument, as its health check says.'),
    tasks: z.array(announcedTask).nullable(),
    measuring: z.array(currentMeasurement),
  })
  .meta({ id: 'ConnectedWorker' });
export type ConnectedWorker = z.infer<typeof connectedWorker>;

export const connectedBackendList = z.object({
  backends: z.array(
    z
      .object({ name: z.string(), username: z.string(), workers: z.array(connectedWorker) })
      .meta({ id: 'Backend' }),
  ),
});

/** A worker as members of the given projects see it. */
export function connectedWorkerOf(
  { identity, since, seen_at, described_at, description, measuring }: BackendWorkerDocument,
  projectIds: ReadonlySet<string>,
): ConnectedWorker {
  return {
    identity,
    since: isoTime(since),
    seen_at: isoTime(seen_at),
    described_at: described_at && isoTime(described_at),
    software: description?.software ?? '',
    version: description?.version ?? '',
    at_once: description?.at_once ?? null,
    problem: description?.problem ?? null,
    tasks: description?.tasks.map((task) => announcedTask.parse(task)) ?? null,
    measuring: measuring.map(({ project_id, execution_id, what, progress, since: begin }) => {
      const isOwn = projectIds.has(project_id);
      return {
        project_id: isOwn ? project_id : null,
        execution_id: isOwn ? execution_id : null,
        what: isOwn ? what : null,
        progress,
        since: isoTime(begin),
      };
    }),
  };
}
