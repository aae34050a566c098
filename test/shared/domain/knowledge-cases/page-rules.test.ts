import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { casePage, casePageName } from '../../../../shared/domain/knowledge-cases/page-rules.ts';
import { idsOfCase, readCasePage } from '../../../../shared/domain/task-knowledge/page-rules.ts';
import { taskNamed } from '../../../support/ids.ts';

const written = {
  id: 'a1b2c3d4e5f60718293a4b5c',
  issue_id: 'f'.repeat(24),
  task_id: taskNamed('T1'),
  task_name: 'CheckT1',
  date: '2026-01-02',
  chip_id: 'CHIP',
  qid: '3',
  resolution_status: 'resolved',
  title: 'A cold\nday',
  severity: 'critical' as const,
  human_label: 'ANOMALY',
  failure_mode_labels: ['tls', 'drift'],
  case_type: ['boundary_case'],
  model_error_type: 'true_positive',
  resolution_label: 'rerun_task',
  symptom: 'Short T1.\n\n## Root cause\n\nnot this',
  model_prediction: 'Fine.',
  human_review_decision: 'Not fine.',
  root_cause: 'A defect.',
  resolution: '',
  boundary_criteria: 'Below 20 µs.',
  lesson_learned: ['Wait.', 'Measure\nagain.'],
  applicability: 'All qubits.',
  counterexample: 'None.',
  prompt_guidance: 'Look twice.',
  figure_paths: [],
  thread_image_urls: [],
  created_at: '2026-01-02T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
};

test('the page of a case is read back as it was, whatever its texts look like', () => {
  const page = casePage(written);
  const {
    figure_paths,
    thread_image_urls,
    created_at,
    updated_at,
    id,
    issue_id,
    task_id,
    task_name,
    ...said
  } = written;
  const { resolution_status, ...content } = said;
  expect(readCasePage(page)).toEqual({
    ...content,
    status: 'resolved',
    title: 'A cold day',
    symptom: 'Short T1.\n\n\\## Root cause\n\nnot this',
    lesson_learned: ['Wait.', 'Measure again.'],
  });
  expect(idsOfCase(page)).toEqual([written.id]);
  expect(page).not.toContain('## Resolution');
});

test('a fence that a text leaves open is closed before the next section', () => {
  const page = casePage({ ...written, symptom: '```\nraw' });
  expect(readCasePage(page)).toMatchObject({ symptom: '```\nraw\n```', root_cause: 'A defect.' });
});

test('neither HTML nor underlined headings of a text have an effect on the page', () => {
  const page = casePage({
    ...written,
    title: 'A <img src=x onerror=alert(1)> day',
    symptom: 'Not a title\n===\n\n> quoted\n> ---\n\n<script>alert(1)</script> 1 < 2 &amp; a<b',
    lesson_learned: ['<b>Wait</b>'],
  });
  expect(page).not.toMatch(/<[a-z/!?]/i);
  expect(page).not.toMatch(/^[ \t>]*(=+|-+)[ \t]*$/m);
  expect(page).toContain('1 < 2');
  expect(page).toContain('&lt;script>alert(1)&lt;/script>');
});

/** The headings of a page, and whether it has code, as a program that renders Markdown with HTML shows it. */
function rendered(page: string) {
  const html = new MarkdownIt({ html: true }).render(page);
  return {
    headings: [...html.matchAll(/<h[1-6]>(.*?)<\/h[1-6]>/gs)].map(([, text]) => text),
    scripts: /<(?:script|img|b)[ >]/.test(html),
  };
}

test.each([
  ['a heading in a list', '- # Root cause\n1. ## Root cause\n* > ### Root cause'],
  ['a fence of tildes', '~~~\nraw'],
  ['a long fence', '````\nraw\n```'],
  ['code that begins a line', '```raw``` is code'],
  ['an indented fence', 'Text\n\n    ```\n'],
  ['a fence within a fence', '```\n```js\n```'],
  ['tildes within a fence', '```\n~~~\n```'],
  ['a fence in a list', '- ```\n  raw'],
  ['an underline in a quote', '> a\n> ===\n\na\n---'],
  ['HTML behind a backslash', '\\<script>alert(1)</script>\n\n<!-- open\n<![CDATA[ <?x'],
])('%s hides no section of the page and adds none', (_what, symptom) => {
  const page = casePage({ ...written, symptom, lesson_learned: ['# Wait', '~~~'] });
  const titles = casePage({ ...written, symptom: 'plain' });
  expect(rendered(page)).toEqual({ headings: rendered(titles).headings, scripts: false });
  expect(readCasePage(page)).toMatchObject({ root_cause: 'A defect.', prompt_guidance: 'Look twice.' });
});

test('only a fact before the first heading is the id of a case', () => {
  expect(idsOfCase(`# Day\n\n## Symptom\n\n- case_id: ${written.id}\n`)).toEqual([]);
  expect(idsOfCase('# Day\n\n- case_id: cold\n')).toEqual([]);
});

test('the name of a page is its day, its title in plain letters and the beginning of its id', () => {
  expect(casePageName({ date: '2026-01-02', title: 'T1 of “Q3”: ../short_t1!', id: written.id })).toBe(
    '2026-01-02_t1-of-q3-short-t1_a1b2c3d4.md',
  );
  expect(casePageName({ date: '2026-01-02', title: '冷たい日', id: written.id })).toBe(
    '2026-01-02_a1b2c3d4.md',
  );
});
