import { z } from 'zod';
import { type ExecutionId, executionIdSchema, type ProjectId } from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';

/** `withdrawn`: the run ended before anyone answered. */
const approvalStatuses = ['pending', 'answered', 'expired', 'withdrawn'] as const;
export const approvalStatus = z.enum(approvalStatuses);
export type ApprovalStatus = z.infer<typeof approvalStatus>;

/** A question of a flow to people; after `deadline` the answer is `default`. */
export const approval = z.object({
  approval_id: z.string(),
  execution_id: executionIdSchema,
  question: z.string(),
  options: z.array(z.string()),
  default: z.string(),
  deadline: timestamp,
  status: approvalStatus,
  answer: z.string().nullable(),
  answered_by: z.string().nullable(),
  answered_at: timestamp.nullable(),
});
export type Approval = z.infer<typeof approval>;

export const approvalList = z.object({
  approvals: z.array(approval),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});

/** Body of POST /approvals/{approval_id}. */
export const approvalReply = z.object({ answer: z.string() });

/** An approval as stored; `_id` is `<project_id>/<execution_id>/<index>`. */
export interface ApprovalDocument {
  _id: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  /** Position of the command among the flow's commands. */
  index: number;
  /** The run that waits for the answer. */
  flow_run_id: string;
  /** The execution that it preempts, if it does. */
  preempts?: string;
  question: string;
  options: string[];
  default: string;
  deadline: Date;
  status: ApprovalStatus;
  answer: string | null;
  answered_by: string | null;
  answered_at: Date | null;
  created_at: Date;
}
