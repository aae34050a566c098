import type { KnowledgeCase } from './model.ts';

type Written = Omit<KnowledgeCase, 'status' | 'pr_url' | 'reviewed_by' | 'reviewed_by_user_id'>;

/** HTML of people as text: pages are shown by programs that render it. */
function withoutHtml(text: string): string {
  return text.replace(/<(?=[a-z!/?])/gi, '&lt;');
}

/** A line that makes a heading of the one before it, or a rule. */
const UNDERLINE = /^([ \t>]*)(=+|-+)([ \t]*)$/gm;

/** Text of people as part of a page: none of its lines is a heading or HTML, and no fence stays open. */
function withoutHeadings(text: string): string {
  const plain = withoutHtml(text)
    .replace(/\r\n?/g, '\n')
    .trim()
    .replace(/^([ \t>]*)(#{1,6}(?:\s|$))/gm, '$1\\$2')
    .replace(UNDERLINE, '$1\\$2$3');
  const fences = plain.match(/^\s*```/gm) ?? [];
  return fences.length % 2 === 0 ? plain : `${plain}\n\`\`\``;
}

/** What stands for a picture of a case where it cannot be seen. */
const alternativeText = ({ title }: Pick<Written, 'title'>) =>
  withoutHtml(title)
    .replace(/[[\]\s]+/g, ' ')
    .trim();

/** Text of people on one line. */
const oneLine = (text: string) => withoutHtml(text).replace(/\s+/g, ' ').trim();

/**
 * A case as Markdown: its title, its facts as a list, and a section for each thing that it says.
 * @param level of the title; sections are one below
 * @param pictures addresses of those that the page shows at its end
 */
export function casePage(written: Written, level: 1 | 3 = 1, pictures: readonly string[] = []): string {
  const facts: [name: string, value: string | readonly string[]][] = [
    ['date', written.date],
    ['severity', written.severity],
    ['chip_id', written.chip_id],
    ['qid', written.qid],
    ['status', written.resolution_status],
    ['human_label', written.human_label],
    ['failure_mode_labels', written.failure_mode_labels],
    ['case_type', written.case_type],
    ['model_error_type', written.model_error_type],
    ['resolution_label', written.resolution_label],
    ['issue_id', written.issue_id],
    ['case_id', written.id],
  ];
  const sections: [title: string, text: string][] = [
    ['Symptom', withoutHeadings(written.symptom)],
    ['Model prediction', withoutHeadings(written.model_prediction)],
    ['Human review decision', withoutHeadings(written.human_review_decision)],
    ['Root cause', withoutHeadings(written.root_cause)],
    ['Resolution', withoutHeadings(written.resolution)],
    ['Boundary criteria', withoutHeadings(written.boundary_criteria)],
    ['Lesson learned', written.lesson_learned.map((lesson) => `- ${oneLine(lesson)}`).join('\n')],
    ['Applicability', withoutHeadings(written.applicability)],
    ['Counterexample', withoutHeadings(written.counterexample)],
    ['Prompt guidance', withoutHeadings(written.prompt_guidance)],
    ['Figures', pictures.map((address) => `![${alternativeText(written)}](${address})`).join('\n\n')],
  ];
  const factLines = facts
    .map(([name, value]) => [
      name,
      typeof value === 'string' ? oneLine(value) : value.map(oneLine).join(', '),
    ])
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `- ${name}: ${value}`);
  const marks = '#'.repeat(level);
  return [
    `${marks} ${oneLine(written.title)}`,
    factLines.join('\n'),
    ...sections.flatMap(([title, text]) => (text === '' ? [] : [`${marks}# ${title}`, text])),
  ].join('\n\n');
}

/** Name of the file of a case: its day, its title in plain letters, and the beginning of its id. */
export function casePageName({ date, title, id }: Pick<Written, 'date' | 'title' | 'id'>): string {
  const slug = title
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9\s_-]/g, '')
    .replace(/[\s_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80);
  return `${[date, ...(slug === '' ? [] : [slug])].join('_')}_${id.slice(0, 8)}.md`;
}
