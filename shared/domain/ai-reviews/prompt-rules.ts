import { DATA_RULE, quotedData } from '../language-models/quoting-rules.ts';
import type { StoredParameters, TaskResultDocument } from '../results/model.ts';
import { DECISIONS, LABELS } from './model.ts';

/** The prompt's data about a result. All of it is untrusted, including the knowledge about the task. */
export interface ReviewSubject {
  result: Pick<
    TaskResultDocument,
    | 'name'
    | 'qid'
    | 'chip_id'
    | 'status'
    | 'message'
    | 'output_parameters'
    | 'run_parameters'
    | 'quality_metrics'
    | 'user_note'
  >;
  /** The knowledge about the task, as text. */
  knowledge: string;
  /** Calibration state of the target. */
  current: StoredParameters;
  scoring: Readonly<Record<string, unknown>>;
  /** Names of the pictures in the order in which they are attached. */
  pictures: readonly string[];
  language: string;
  instructions: string;
}

/** The system text and the question for a review. */
export function reviewPrompt(subject: ReviewSubject): { system: string; question: string } {
  const { result, knowledge, current, scoring, pictures, language, instructions } = subject;
  const system = [
    'You judge results of calibration measurements on superconducting qubits, as an experienced experimentalist.',
    instructions,
    DATA_RULE,
    `Write in ${language}. Answer with JSON only: decision (${DECISIONS.join(', ')}), human_label (${LABELS.join(', ')}),
accepted_parameters and needs_review (names of outputs), primary_reason (one sentence), closest_knowledge_case (or an empty
text), suggested_labels (short, snake_case), recommended_action (one sentence), note (or an empty text).
FAIL means that the value must not be used, REVIEW that a person must look first. Say CORRECT only for PASS or PASS_WITH_NOTE.`,
    quotedData('what is known of the task', knowledge, 12_000),
    quotedData('what counts as good for each parameter', scoring, 2000),
  ];
  const question = [
    `Judge this result. Pictures in this order: ${pictures.length > 0 ? pictures.join('; ') : 'none'}.`,
    quotedData('result', {
      task: result.name,
      target: result.qid,
      chip: result.chip_id,
      status: result.status,
      message: result.message,
      quality: result.quality_metrics,
    }),
    quotedData('outputs', valuesOf(result.output_parameters)),
    quotedData('run parameters', valuesOf(result.run_parameters)),
    quotedData('calibration state of the target', valuesOf(current)),
    ...(result.user_note?.content ? [quotedData('note of people', result.user_note.content, 2000)] : []),
  ];
  return { system: system.filter((part) => part !== '').join('\n\n'), question: question.join('\n') };
}

function valuesOf(
  parameters: Readonly<Record<string, { value: unknown; unit?: string; error?: number | null | undefined }>>,
) {
  return Object.fromEntries(
    Object.entries(parameters).map(
      ([name, { value, unit, error }]) => [name, { value, unit, error }] as const,
    ),
  );
}
