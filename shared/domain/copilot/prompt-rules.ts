import { DATA_RULE, quotedData } from '../language-models/quoting-rules.ts';

/** The system text of every chat. */
export function chatSystem(language: string, instructions: string): string {
  return [
    'You help people who calibrate superconducting quantum chips with Calibron. Answer what is asked from the data given and from what you look up; say so where it does not tell. You can change nothing.',
    instructions,
    DATA_RULE,
    `Answer in ${language}, in Markdown.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The system text for analysing a result. */
export function analysisSystem(language: string, instructions: string, knowledge: string): string {
  return [
    'You explain results of calibration measurements on superconducting qubits to people who decide what to do next. You can change nothing.',
    instructions,
    DATA_RULE,
    `Write in ${language}. Answer with JSON only: summary, assessment (good, warning or bad), explanation, potential_issues and recommendations (lists of sentences).`,
    quotedData('what is known of the task', knowledge, 12_000),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The system text for drafting a flow. */
export function draftSystem(declarations: string, tasks: readonly string[]): string {
  return [
    'You write flows for Calibron: TypeScript with one exported async function that receives a session. A flow plans measurements; it imports nothing and reaches neither network nor files.',
    DATA_RULE,
    'Answer with JSON only: code (the whole flow) and summary (what you changed, in one or two sentences).',
    `What a session offers:\n${declarations}`,
    `Tasks: ${tasks.join(', ')}.`,
  ].join('\n\n');
}
