import { z } from 'zod';
import { type ProjectId, type TaskId, taskIdSchema, type UserId, userIdSchema } from '../../kernel/ids.ts';
import { integer, timestamp } from '../../kernel/wire.ts';

const caseStatus = z.enum(['draft', 'approved', 'rejected']);
export type CaseStatus = z.infer<typeof caseStatus>;

export const caseSeverity = z.enum(['critical', 'warning', 'info']);

/** Maximum characters and entries of a case's parts. */
export const CASE_LIMITS = {
  title: 200,
  label: 64,
  labels: 50,
  text: 5000,
  lesson: 2000,
  lessons: 50,
} as const;

const label = z.string().max(CASE_LIMITS.label);
const labels = z.array(label).max(CASE_LIMITS.labels);
const text = z.string().max(CASE_LIMITS.text);

/** The content of a case, each part within its limits. */
export const caseContent = z.object({
  title: z.string().min(1).max(CASE_LIMITS.title),
  severity: caseSeverity,
  human_label: label,
  failure_mode_labels: labels,
  case_type: labels,
  model_error_type: label,
  resolution_label: label,
  symptom: text,
  model_prediction: text,
  human_review_decision: text,
  root_cause: text,
  resolution: text,
  boundary_criteria: text,
  lesson_learned: z.array(z.string().max(CASE_LIMITS.lesson)).max(CASE_LIMITS.lessons),
  applicability: text,
  counterexample: text,
  prompt_guidance: text,
});
export type CaseContent = z.infer<typeof caseContent>;

/** Body of PATCH /issue-knowledge/{knowledge_id}; a null or absent part is left unchanged. */
export const caseChange = z.object({
  title: caseContent.shape.title.nullish(),
  severity: caseSeverity.nullish(),
  human_label: label.nullish(),
  failure_mode_labels: labels.nullish(),
  case_type: labels.nullish(),
  model_error_type: label.nullish(),
  resolution_label: label.nullish(),
  symptom: text.nullish(),
  model_prediction: text.nullish(),
  human_review_decision: text.nullish(),
  root_cause: text.nullish(),
  resolution: text.nullish(),
  boundary_criteria: text.nullish(),
  lesson_learned: caseContent.shape.lesson_learned.nullish(),
  applicability: text.nullish(),
  counterexample: text.nullish(),
  prompt_guidance: text.nullish(),
});
export type CaseChange = z.infer<typeof caseChange>;

/** Knowledge about a task, extracted from an issue. Only approved cases count as knowledge. */
export const knowledgeCase = z
  .object({
    id: z.string(),
    issue_id: z.string(),
    task_id: taskIdSchema,
    task_name: z.string(),
    status: caseStatus,
    date: z.string().describe('Day of the extraction in UTC, YYYY-MM-DD.'),
    chip_id: z.string(),
    qid: z.string(),
    resolution_status: z.string(),
    ...caseContent.shape,
    figure_paths: z.array(z.string()),
    thread_image_urls: z.array(z.string()),
    reviewed_by_user_id: userIdSchema.nullable(),
    reviewed_by: z.string().nullable(),
    pr_url: z
      .string()
      .nullable()
      .describe('Address of the page that shows the exported case; null if it has none.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'IssueKnowledge' });
export type KnowledgeCase = z.infer<typeof knowledgeCase>;

export const knowledgeCaseList = z.object({
  items: z.array(knowledgeCase),
  total: z.number().int(),
  skip: z.number().int(),
  limit: z.number().int(),
});
export type KnowledgeCaseList = z.infer<typeof knowledgeCaseList>;

/** Query of GET /issue-knowledge. */
export const caseQuery = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
  status: caseStatus.optional(),
  task_name: z.string().optional(),
});
export type CaseQuery = z.infer<typeof caseQuery>;

/** The case as a workflow exports it. */
export interface ExportedCase {
  project_id: ProjectId;
  case_id: string;
}

/** A case extracted from an issue. */
export interface NewCase extends CaseContent {
  issue_id: string;
  task_id: TaskId;
  task_name: string;
  chip_id: string;
  qid: string;
  figure_paths: string[];
  thread_image_urls: string[];
}

/**
 * A case as stored; `_id` is `<project_id>/<issue_id>/<number>`. Cases of an issue are numbered from 1. Only the last one
 * can be a draft, so that an issue never has two drafts.
 */
export interface KnowledgeCaseDocument extends NewCase {
  _id: string;
  project_id: ProjectId;
  number: number;
  case_id: string;
  status: CaseStatus;
  date: string;
  reviewed_by_user_id: UserId | null;
  reviewed_by: string | null;
  reviewed_at: Date | null;
  pr_url: string | null;
  created_at: Date;
  updated_at: Date;
}
