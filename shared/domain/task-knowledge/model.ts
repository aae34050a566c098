import { z } from 'zod';

export const image = z.object({
  alt_text: z.string(),
  relative_path: z.string(),
  section: z.string().describe('Heading under which it is listed; `review` or `case` for the other pages.'),
  base64_data: z.string().describe('Empty when there is no such picture.'),
});
export type KnowledgeImage = z.infer<typeof image>;

export const failureMode = z.object({
  severity: z.string(),
  description: z.string(),
  cause: z.string(),
  visual: z.string(),
  next_action: z.string(),
});
export type FailureMode = z.infer<typeof failureMode>;

export const expectedResult = z.object({
  description: z.string(),
  result_type: z.string(),
  x_axis: z.string(),
  y_axis: z.string(),
  z_axis: z.string(),
  fit_model: z.string(),
  typical_range: z.string(),
  good_visual: z.string(),
});
export type ExpectedResult = z.infer<typeof expectedResult>;

/** The lesson of a case, as used by its page, its extraction and its readers. */
export const caseLesson = {
  human_label: z.string(),
  failure_mode_labels: z.array(z.string()),
  case_type: z.array(z.string()),
  model_error_type: z.string(),
  resolution_label: z.string(),
  symptom: z.string(),
  model_prediction: z.string(),
  human_review_decision: z.string(),
  root_cause: z.string(),
  resolution: z.string(),
  boundary_criteria: z.string(),
  lesson_learned: z.array(z.string()),
  applicability: z.string(),
  counterexample: z.string(),
  prompt_guidance: z.string(),
};

export const knowledgeCase = z.object({
  title: z.string(),
  date: z.string(),
  severity: z.string(),
  chip_id: z.string(),
  qid: z.string(),
  status: z.string(),
  ...caseLesson,
  images: z.array(image),
});
export type KnowledgeCase = z.infer<typeof knowledgeCase>;

/** Knowledge about a task: what it measures, what a good result is, how it fails. */
export const taskKnowledge = z
  .object({
    name: z.string(),
    category: z.string(),
    summary: z.string(),
    what_it_measures: z.string(),
    physical_principle: z.string(),
    expected_result: expectedResult,
    evaluation_criteria: z.string(),
    check_questions: z.array(z.string()),
    failure_modes: z.array(failureMode),
    tips: z.array(z.string()),
    output_parameters_info: z.array(z.object({ name: z.string(), description: z.string() })),
    analysis_guide: z.array(z.string()),
    prerequisites: z.array(z.string()),
    images: z.array(image),
    review_markdown: z.string(),
    review_images: z.array(image),
    cases: z.array(knowledgeCase),
    prompt_text: z.string(),
    review_prompt_text: z.string(),
  })
  .meta({ id: 'TaskKnowledge' });
export type TaskKnowledge = z.infer<typeof taskKnowledge>;

export const summaryItem = z.object({
  name: z.string(),
  category: z.string(),
  summary: z.string(),
  failure_mode_count: z.number().int(),
  case_count: z.number().int(),
  image_count: z.number().int(),
  has_analysis_guide: z.boolean(),
  has_review_guide: z.boolean(),
});
export const taskKnowledgeList = z.object({
  items: z.array(summaryItem),
  categories: z.record(z.string(), z.string()),
});
export type TaskKnowledgeList = z.infer<typeof taskKnowledgeList>;
