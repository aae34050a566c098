import type { ExpectedResult, FailureMode, KnowledgeCase, TaskKnowledge } from './model.ts';

/** A picture referenced by a page. */
export interface ImageReference {
  alt_text: string;
  relative_path: string;
  section: string;
}

/** The parts of a Markdown page: its title, the text before the first section, and the sections. */
interface Page {
  title: string;
  head: string;
  sections: { title: string; text: string }[];
}

const IMAGE = /!\[([^\]]*)\]\(([^)\s]+)\)/g;

function pageOf(text: string): Page {
  const page: Page = { title: '', head: '', sections: [] };
  let fenced = false;
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (/^\s*```/.test(line)) fenced = !fenced;
    const heading = fenced ? null : /^(##?) +(.+?)\s*$/.exec(line);
    if (heading?.[1] === '#' && page.title === '') page.title = heading[2] ?? '';
    else if (heading?.[1] === '##') page.sections.push({ title: (heading[2] ?? '').toLowerCase(), text: '' });
    else {
      const section = page.sections.at(-1);
      if (section) section.text += `${line}\n`;
      else page.head += `${line}\n`;
    }
  }
  return page;
}

function textOf(page: Page, ...titles: string[]): string {
  return page.sections.find(({ title }) => titles.includes(title))?.text ?? '';
}

const withoutImages = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^\s*!\[[^\]]*\]\([^)]*\)\s*$/.test(line))
    .join('\n')
    .trim();

/** Items of a list, dashed or numbered; continuation lines belong to their item. */
function itemsOf(text: string): string[] {
  const items: string[] = [];
  for (const line of withoutImages(text).split('\n')) {
    const item = /^\s*(?:[-*]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
    if (item !== undefined) items.push(item.trim());
    else if (line.trim() !== '' && items.length > 0) items.push(`${items.pop()} ${line.trim()}`);
  }
  return items;
}

const EXPECTED_FIELDS = [
  'result_type',
  'x_axis',
  'y_axis',
  'z_axis',
  'fit_model',
  'typical_range',
  'good_visual',
] as const;

function expectedOf(text: string): ExpectedResult {
  const expected: ExpectedResult = {
    description: '',
    result_type: '',
    x_axis: '',
    y_axis: '',
    z_axis: '',
    fit_model: '',
    typical_range: '',
    good_visual: '',
  };
  const rest: string[] = [];
  for (const line of withoutImages(text).split('\n')) {
    const [, name = '', value = ''] = /^\s*-\s*([a-z_]+):\s*(.*)$/.exec(line) ?? [];
    const field = EXPECTED_FIELDS.find((each) => each === name);
    if (field) expected[field] = value.trim();
    else rest.push(line);
  }
  return { ...expected, description: rest.join('\n').trim() };
}

function criteriaOf(text: string): Pick<TaskKnowledge, 'evaluation_criteria' | 'check_questions'> {
  const lines = withoutImages(text).split('\n');
  const start = lines.findIndex((line) => /^\s*(?:-\s*)?check_questions:\s*$/.test(line));
  if (start < 0) return { evaluation_criteria: lines.join('\n').trim(), check_questions: [] };
  const quoted = lines.slice(start + 1).flatMap((line) => /^\s*-\s*["“](.*)["”]\s*$/.exec(line)?.[1] ?? []);
  return { evaluation_criteria: lines.slice(0, start).join('\n').trim(), check_questions: quoted };
}

function failuresOf(text: string): FailureMode[] {
  const modes: FailureMode[] = [];
  for (const line of withoutImages(text).split('\n')) {
    const top = /^-\s+(?:\[(\w+)\]\s*)?(.*)$/.exec(line);
    if (top) {
      const [, severity = 'warning', description = ''] = top;
      modes.push({ severity, description: description.trim(), cause: '', visual: '', next_action: '' });
      continue;
    }
    const [, name, value = ''] = /^\s+-\s*(cause|visual|next):\s*(.*)$/.exec(line) ?? [];
    const mode = modes.at(-1);
    if (!mode || !name) continue;
    if (name === 'cause') mode.cause = value.trim();
    else if (name === 'visual') mode.visual = value.trim();
    else mode.next_action = value.trim();
  }
  return modes;
}

function outputsOf(text: string): TaskKnowledge['output_parameters_info'] {
  return itemsOf(text).map((item) => {
    const [, name = item, description = ''] = /^`?([\w-]+)`?\s*:\s*(.*)$/s.exec(item) ?? [];
    return { name, description };
  });
}

/** The pictures referenced by a page, in order. @param section section name for all of them; by default the heading of each */
export function imagesOf(text: string, section?: string): ImageReference[] {
  const page = pageOf(text);
  const parts = [{ title: '', text: page.head }, ...page.sections];
  return parts.flatMap((part) =>
    [...part.text.matchAll(IMAGE)].map(([, alt_text = '', relative_path = '']) => ({
      alt_text,
      relative_path,
      section: section ?? part.title,
    })),
  );
}

/** Content of a task's page. */
export type PageContent = Omit<
  TaskKnowledge,
  'category' | 'images' | 'review_markdown' | 'review_images' | 'cases' | 'prompt_text' | 'review_prompt_text'
>;

/** Parses the page of a task; missing parts are empty. */
export function readTaskPage(text: string, folderName: string): PageContent {
  const page = pageOf(text);
  return {
    name: page.title || folderName,
    summary: withoutImages(page.head),
    what_it_measures: withoutImages(textOf(page, 'what it measures')),
    physical_principle: withoutImages(textOf(page, 'physical principle')),
    expected_result: expectedOf(textOf(page, 'expected result', 'expected curve', 'expected graph')),
    ...criteriaOf(textOf(page, 'evaluation criteria')),
    failure_modes: failuresOf(textOf(page, 'common failure patterns', 'common failure modes')),
    tips: itemsOf(textOf(page, 'tips for improvement', 'tips')),
    output_parameters_info: outputsOf(textOf(page, 'output parameters')),
    analysis_guide: itemsOf(textOf(page, 'analysis guide')),
    prerequisites: itemsOf(textOf(page, 'prerequisites')),
  };
}

/** Parses the page of a case; its pictures are found separately. */
export function readCasePage(text: string): Omit<KnowledgeCase, 'images'> {
  const page = pageOf(text);
  const facts = new Map(
    page.head.split('\n').flatMap((line) => {
      const [, name, value = ''] = /^\s*-\s*(\w+):\s*(.*)$/.exec(line) ?? [];
      return name ? [[name, value.trim()] as const] : [];
    }),
  );
  const section = (...titles: string[]) => withoutImages(textOf(page, ...titles));
  return {
    title: page.title,
    date: facts.get('date') ?? '',
    severity: facts.get('severity') ?? 'warning',
    chip_id: facts.get('chip_id') ?? '',
    qid: facts.get('qid') ?? '',
    status: facts.get('status') ?? 'resolved',
    human_label: facts.get('human_label') ?? '',
    failure_mode_labels: wordsOf(facts.get('failure_mode_labels')),
    case_type: wordsOf(facts.get('case_type')),
    model_error_type: facts.get('model_error_type') ?? '',
    resolution_label: facts.get('resolution_label') ?? '',
    symptom: section('symptom'),
    model_prediction: section('model prediction'),
    human_review_decision: section('human review decision'),
    root_cause: section('root cause'),
    resolution: section('resolution'),
    boundary_criteria: section('boundary criteria'),
    lesson_learned: itemsOf(textOf(page, 'lesson learned', 'lessons learned')),
    applicability: section('applicability'),
    counterexample: section('counterexample'),
    prompt_guidance: section('prompt guidance'),
  };
}

/** The id of the knowledge case that a page was exported from; none for a page written by hand. */
export function idsOfCase(text: string): string[] {
  const [, id] = /^\s*-\s*case_id:\s*([0-9a-f]{24})\s*$/m.exec(pageOf(text).head) ?? [];
  return id === undefined ? [] : [id];
}

function wordsOf(text = ''): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const block = (title: string, text: string) => (text === '' ? [] : [`## ${title}`, text]);
const list = (title: string, items: readonly string[]) =>
  block(title, items.map((item) => `- ${item}`).join('\n'));
const field = (name: string, value: string) => (value === '' ? [] : [`${name}: ${value}`]);

/** All knowledge about a task as one text, for a reader without the page. */
export function promptText(known: Omit<TaskKnowledge, 'prompt_text' | 'review_prompt_text'>): string {
  const { description, ...fields } = known.expected_result;
  const expected = Object.entries(fields).flatMap(([name, value]) => field(`- ${name}`, value));
  return [
    `# ${known.name}`,
    known.summary,
    ...block('What it measures', known.what_it_measures),
    ...block('Physical principle', known.physical_principle),
    ...block('Expected result', [description, ...expected].filter((line) => line !== '').join('\n')),
    ...block('Evaluation criteria', known.evaluation_criteria),
    ...list('Check questions', known.check_questions),
    ...list(
      'Output parameters',
      known.output_parameters_info.map(({ name, description: text }) => `${name}: ${text}`),
    ),
    ...list('Failure modes', known.failure_modes.map(failureText)),
    ...list('Tips', known.tips),
    ...list('Analysis guide', known.analysis_guide),
    ...list('Prerequisites', known.prerequisites),
    ...list(
      'Images',
      known.images.map(({ alt_text, relative_path }) => `${alt_text} (${relative_path})`),
    ),
    ...list(
      'Past cases',
      known.cases.map((each) => [each.title, each.symptom, each.root_cause].filter(Boolean).join(': ')),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The knowledge that a reviewer of the task's results needs, as one text. */
export function reviewPromptText(known: Omit<TaskKnowledge, 'prompt_text' | 'review_prompt_text'>): string {
  const { description, good_visual } = known.expected_result;
  const guide = withoutImages(
    pageOf(known.review_markdown)
      .sections.map(({ title, text }) => `## ${title}\n${text}`)
      .join('\n'),
  );
  const review = [withoutImages(pageOf(known.review_markdown).head), guide]
    .filter((part) => part !== '')
    .join('\n\n');
  return [
    `# ${known.name}`,
    known.summary,
    ...block('What it measures', known.what_it_measures),
    ...block('Expected result', description),
    ...block('A good picture', good_visual),
    ...list('Check questions', known.check_questions),
    ...list(
      'Failure modes',
      known.failure_modes.map(({ severity, description: text, visual, next_action }) =>
        failureText({ severity, description: text, visual, next_action, cause: '' }),
      ),
    ),
    ...list('Analysis guide', known.analysis_guide),
    review,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function failureText({ severity, description, cause, visual, next_action }: FailureMode): string {
  return [
    `[${severity}] ${description}`,
    ...field('cause', cause),
    ...field('visual', visual),
    ...field('next', next_action),
  ].join('; ');
}

/** A page with its pictures inlined, and an appended text. */
export function withInlinedImages(
  text: string,
  inlined: ReadonlyMap<string, string>,
  appended: readonly string[],
): string {
  const page = text.replace(IMAGE, (whole, alt: string, path: string) => {
    const uri = inlined.get(path);
    return uri === undefined ? whole : `![${alt}](${uri})`;
  });
  return [page.trimEnd(), ...appended, ''].join('\n\n');
}
