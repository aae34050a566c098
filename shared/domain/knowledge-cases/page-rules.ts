import type { KnowledgeCase } from './model.ts';

type Written = Omit<KnowledgeCase, 'status' | 'pr_url' | 'reviewed_by' | 'reviewed_by_user_id'>;

/** Escapes HTML in users' text, because the page is displayed by programs that render HTML. */
function withoutHtml(text: string): string {
  return text.replace(/<(?=[a-z!/?])/gi, '&lt;');
}

/** A heading, also one in quotes and items of lists. */
const HEADING = /^((?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(#{1,6}(?:\s|$))/gm;
/** A line that turns the line before it into a heading, or that draws a rule. */
const UNDERLINE = /^([ \t>]*)(=+|-+)([ \t]*)$/gm;
/** A line that may begin or end a block of code. */
const FENCE = /^[ \t]*(`{3,}|~{3,})(.*)$/;

/** Makes users' text safe within a page: no line is a heading or HTML, and no code fence stays open. */
function withoutHeadings(text: string): string {
  const plain = withoutHtml(text).replace(/\r\n?/g, '\n').trim();
  return withPlainFences(plain.replace(HEADING, '$1\\$2').replace(UNDERLINE, '$1\\$2$3'));
}

/**
 * Leaves only those fences that programs read alike: three backticks at the beginning of a line, closed by the same without a
 * word behind. Others become text. A block of code that is open at the end is closed.
 */
function withPlainFences(text: string): string {
  let isOpen = false;
  const lines = text.split('\n').map((line) => {
    const [, fence, rest = ''] = FENCE.exec(line) ?? [];
    if (!fence) return line;
    if (fence === '```' && (isOpen ? rest.trim() === '' : !rest.includes('`'))) {
      isOpen = !isOpen;
      return `${fence}${rest}`;
    }
    return isOpen && fence.startsWith('~') ? line : `\\${fence}${rest}`;
  });
  return [...lines, ...(isOpen ? ['```'] : [])].join('\n');
}

/** Alternative text for a picture of a case. */
const alternativeText = ({ title }: Pick<Written, 'title'>) =>
  withoutHtml(title)
    .replace(/[[\]\s]+/g, ' ')
    .trim();

/** Users' text on one line. */
const oneLine = (text: string) => withoutHtml(text).replace(/\s+/g, ' ').trim();

/**
 * A case as Markdown: its title, its facts as a list, and a section for each part of its content.
 * @param level heading level of the title; sections are one level below
 * @param pictures addresses of the pictures shown at the end of the page
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
    [
      'Lesson learned',
      written.lesson_learned.map((lesson) => `- ${oneLine(lesson)}`.replace(HEADING, '$1\\$2')).join('\n'),
    ],
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

/** File name of a case: its date, its title in plain letters, and the first characters of its id. */
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
