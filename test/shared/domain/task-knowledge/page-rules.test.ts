import { describe, expect, test } from 'vitest';
import {
  idsOfCase,
  imagesOf,
  promptText,
  readCasePage,
  readTaskPage,
} from '../../../../shared/domain/task-knowledge/page-rules.ts';

const page = `# CheckT1

Measures how long a qubit stays excited.
![whole](whole.png)

## What it measures
The decay.

\`\`\`
## not a heading
\`\`\`

## Physical principle
Relaxation.

## Expected curve
- result_type: decay
- x_axis: time
- unknown_field: kept as text
An exponential.
![curve](curves/good.png)

## Evaluation criteria
The fit follows the points.
check_questions:
- "Does it decay?"
- “Is the end flat?”
- not a question

## Common failure modes
- [critical] No decay
  - cause: no pulse
  - visual: flat
  - next: check the drive
  - other: ignored
- Slow drift

## Tips
- Longer sweep
  over the whole decay
2. More shots
3) Later

## Output parameters
- \`t1\`: the decay time
- t1-error: its error
- a sentence

## Analysis guide
1. Look.

## Prerequisites
* CheckRabi
`;

describe('the page of a task', () => {
  const read = readTaskPage(page, 'Folder');

  test('has a title, or the name of its folder', () => {
    expect(read.name).toBe('CheckT1');
    expect(readTaskPage('## Tips\n- One\n', 'Folder').name).toBe('Folder');
    expect(readTaskPage('# First\n# Second\n', 'Folder').name).toBe('First');
  });

  test('has text without pictures, and headings in code are text', () => {
    expect(read.summary).toBe('Measures how long a qubit stays excited.');
    expect(read.what_it_measures).toBe('The decay.\n\n```\n## not a heading\n```');
    expect(read.physical_principle).toBe('Relaxation.');
  });

  test('says what is expected, by fields and as text', () => {
    expect(read.expected_result).toEqual({
      description: '- unknown_field: kept as text\nAn exponential.',
      result_type: 'decay',
      x_axis: 'time',
      y_axis: '',
      z_axis: '',
      fit_model: '',
      typical_range: '',
      good_visual: '',
    });
  });

  test('has criteria, and the quoted questions after them', () => {
    expect(read.evaluation_criteria).toBe('The fit follows the points.');
    expect(read.check_questions).toEqual(['Does it decay?', 'Is the end flat?']);
    expect(readTaskPage('## Evaluation criteria\nAll.\n', '')).toMatchObject({
      evaluation_criteria: 'All.',
      check_questions: [],
    });
  });

  test('has failures with their severity, cause, look and next step', () => {
    expect(read.failure_modes).toEqual([
      {
        severity: 'critical',
        description: 'No decay',
        cause: 'no pulse',
        visual: 'flat',
        next_action: 'check the drive',
      },
      { severity: 'warning', description: 'Slow drift', cause: '', visual: '', next_action: '' },
    ]);
  });

  test('has lists whose items may be numbered and go over several lines', () => {
    expect(read.tips).toEqual(['Longer sweep over the whole decay', 'More shots', 'Later']);
    expect(read.analysis_guide).toEqual(['Look.']);
    expect(read.prerequisites).toEqual(['CheckRabi']);
  });

  test('describes outputs, with or without code marks', () => {
    expect(read.output_parameters_info).toEqual([
      { name: 't1', description: 'the decay time' },
      { name: 't1-error', description: 'its error' },
      { name: 'a sentence', description: '' },
    ]);
  });

  test('is the same with line ends of Windows', () => {
    expect(readTaskPage(page.replaceAll('\n', '\r\n'), 'Folder')).toEqual(read);
  });

  test('is empty where parts are missing', () => {
    const { name, expected_result, ...parts } = readTaskPage('', 'Folder');
    expect(name).toBe('Folder');
    expect(Object.values(expected_result).every((text) => text === '')).toBe(true);
    expect(Object.values(parts).every((part) => part.length === 0)).toBe(true);
  });

  test('refers to pictures in order, with the heading above each or a given one', () => {
    expect(imagesOf(page)).toEqual([
      { alt_text: 'whole', relative_path: 'whole.png', section: '' },
      { alt_text: 'curve', relative_path: 'curves/good.png', section: 'expected curve' },
    ]);
    expect(imagesOf(page, 'case').map(({ section }) => section)).toEqual(['case', 'case']);
  });

  test('is a text for readers without the page, without empty parts', () => {
    const text = promptText({
      ...read,
      category: '',
      images: [],
      review_markdown: '',
      review_images: [],
      cases: [],
    });
    expect(text).toContain('# CheckT1');
    expect(text).toContain('- x_axis: time');
    expect(text).not.toContain('y_axis');
    expect(text).not.toContain('whole.png');
  });
});

describe('the page of a case', () => {
  const written = `# Too short

- date: 2026-11-28
- severity: critical
- chip_id: CHIP
- qid: 3
- status: open
- human_label: refused
- failure_mode_labels: drift, , noise
- case_type: fit,gate
- model_error_type: missed
- resolution_label: repeated
- case_id: 0123456789abcdef01234567

## Symptom
Flat.

## Lessons learned
- Wait
- Repeat
`;

  test('has its fields, and lists separated by commas', () => {
    expect(readCasePage(written)).toMatchObject({
      title: 'Too short',
      date: '2026-11-28',
      severity: 'critical',
      chip_id: 'CHIP',
      qid: '3',
      status: 'open',
      human_label: 'refused',
      failure_mode_labels: ['drift', 'noise'],
      case_type: ['fit', 'gate'],
      model_error_type: 'missed',
      resolution_label: 'repeated',
      symptom: 'Flat.',
      root_cause: '',
      lesson_learned: ['Wait', 'Repeat'],
    });
  });

  test('is a resolved warning unless it says otherwise', () => {
    expect(readCasePage('# Case\n')).toMatchObject({
      title: 'Case',
      severity: 'warning',
      status: 'resolved',
      failure_mode_labels: [],
      case_type: [],
    });
  });

  test('names the case that it was exported from, among its fields only', () => {
    expect(idsOfCase(written)).toEqual(['0123456789abcdef01234567']);
    expect(idsOfCase('# Case\n- case_id: 0123\n')).toEqual([]);
    expect(idsOfCase('# Case\n\n## Symptom\n- case_id: 0123456789abcdef01234567\n')).toEqual([]);
  });
});
