import { z } from 'zod';
import { CASE_LIMITS, type CaseContent, caseSeverity } from '../knowledge-cases/model.ts';
import { DATA_RULE, quotedData } from '../language-models/quoting-rules.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { caseLesson } from '../task-knowledge/model.ts';
import type { IssueDocument, StoredReply } from './model.ts';

type Target = Pick<TaskResultDocument, 'name' | 'chip_id' | 'qid'>;

/**
 * The shape requested from a language model. Limits are enforced afterwards, because some models accept no schema with
 * limits.
 */
export const extractedShape = z.object({
  title: z.string(),
  severity: z.string(),
  ...caseLesson,
});
export type Extracted = z.infer<typeof extractedShape>;

export const extractionPrompt = `You turn a closed discussion of a measurement on a superconducting quantum chip into a case that helps to
judge later results of the same task. Say only what the discussion says; leave a field empty that it says nothing about.
severity: critical, warning or info.
human_label: CORRECT, SUSPICIOUS, MISASSIGNMENT, NO_SIGNAL, ANOMALY or empty.
case_type, any of: positive_example, negative_example, boundary_case, counterexample, prompt_guidance, operator_note.
model_error_type: true_positive, false_positive, true_negative, false_negative or not_applicable.
resolution_label: accept_heuristic, override_parameter, rerun_task, adjust_search_range, update_heuristic,
update_review_policy, add_task_knowledge or ignore_known_artifact.
lesson_learned: one sentence each.
${DATA_RULE}`;

/** Characters of one post, and of all posts, that a model reads: the first post and the newest replies. */
const POST_LENGTH = 4000;
const THREAD_LENGTH = 60_000;

/** The discussion as it is presented to a model. */
export function extractionQuestion(thread: IssueDocument, target: Target): string {
  const posts = thread.replies.map((reply) =>
    quotedData(
      `reply by ${reply.is_ai_reply ? 'a language model' : reply.username}`,
      reply.content,
      POST_LENGTH,
    ),
  );
  const kept: string[] = [];
  let room = THREAD_LENGTH;
  for (const post of posts.reverse()) {
    room -= post.length;
    if (room < 0) break;
    kept.unshift(post);
  }
  return [
    quotedData('task', target.name),
    quotedData('chip', target.chip_id),
    quotedData('target', target.qid),
    quotedData('title', thread.title),
    quotedData(`issue by ${thread.username}`, thread.content, POST_LENGTH),
    ...kept,
    'Extract the case.',
  ].join('\n');
}

const cutTo = (text: string, longest: number) =>
  text
    .trim()
    .slice(0, longest)
    .replace(/[\uD800-\uDBFF]$/, '');
const labelsOf = (given: readonly string[]) =>
  given
    .map((each) => cutTo(each, CASE_LIMITS.label))
    .filter((each) => each !== '')
    .slice(0, CASE_LIMITS.labels);

/** Cuts a model's extraction to the limits of a case. */
export function boundedContent(extracted: Extracted, thread: Pick<IssueDocument, 'title'>): CaseContent {
  const { label, text, lesson, lessons } = CASE_LIMITS;
  return {
    title: cutTo(extracted.title, CASE_LIMITS.title) || titleOfCase(thread),
    severity: caseSeverity.catch('warning').parse(extracted.severity.toLowerCase()),
    human_label: cutTo(extracted.human_label, label),
    failure_mode_labels: labelsOf(extracted.failure_mode_labels),
    case_type: labelsOf(extracted.case_type),
    model_error_type: cutTo(extracted.model_error_type, label),
    resolution_label: cutTo(extracted.resolution_label, label),
    symptom: cutTo(extracted.symptom, text),
    model_prediction: cutTo(extracted.model_prediction, text),
    human_review_decision: cutTo(extracted.human_review_decision, text),
    root_cause: cutTo(extracted.root_cause, text),
    resolution: cutTo(extracted.resolution, text),
    boundary_criteria: cutTo(extracted.boundary_criteria, text),
    lesson_learned: extracted.lesson_learned
      .map((each) => cutTo(each, lesson))
      .filter((each) => each !== '')
      .slice(0, lessons),
    applicability: cutTo(extracted.applicability, text),
    counterexample: cutTo(extracted.counterexample, text),
    prompt_guidance: cutTo(extracted.prompt_guidance, text),
  };
}

/**
 * A case made without a language model. The first post is the symptom, the model's replies are the prediction, the last
 * human reply is the resolution, and earlier human replies are the decision.
 */
export function contentWithoutModel(thread: IssueDocument): CaseContent {
  const humanReplies = thread.replies.filter(({ is_ai_reply }) => !is_ai_reply);
  const predicted = thread.replies.filter(({ is_ai_reply }) => is_ai_reply);
  const last = humanReplies.at(-1);
  const extracted: Extracted = {
    title: thread.title,
    severity: 'warning',
    human_label: '',
    failure_mode_labels: [],
    case_type: [],
    model_error_type: '',
    resolution_label: '',
    root_cause: '',
    boundary_criteria: '',
    lesson_learned: [],
    applicability: '',
    counterexample: '',
    prompt_guidance: '',
    symptom: thread.content,
    model_prediction: joined(predicted),
    human_review_decision: joined(humanReplies.slice(0, -1)),
    resolution: last?.content ?? '',
  };
  return boundedContent(extracted, thread);
}

function joined(replies: readonly StoredReply[]): string {
  return replies.map(({ username, content }) => `${username}: ${content}`).join('\n\n');
}

function titleOfCase({ title }: Pick<IssueDocument, 'title'>): string {
  return cutTo(title, CASE_LIMITS.title) || 'Untitled case';
}

/** Maximum number of picture addresses in a case, and maximum characters of one address. */
const IMAGE_LIMITS = { count: 50, address: 2000 };

/** Addresses of the pictures in a thread, without duplicates, in order. */
export function imageUrlsOf({ content, replies }: Pick<IssueDocument, 'content' | 'replies'>): string[] {
  const found = [content, ...replies.map((reply) => reply.content)].flatMap((text) =>
    [...text.matchAll(/!\[[^\]\n]{0,500}\]\(([^)\s]+)\)/g)].map(([, url = '']) => url),
  );
  return [...new Set(found)].filter((url) => url.length <= IMAGE_LIMITS.address).slice(0, IMAGE_LIMITS.count);
}
