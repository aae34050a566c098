import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readSettings } from '../../../../shared/domain/settings.ts';
import { taskKnowledge as area } from '../../../../shared/domain/task-knowledge/index.ts';
import { readCasePage, readTaskPage } from '../../../../shared/domain/task-knowledge/page-rules.ts';
import { knowledgeFolderOf } from '../../../../shared/domain/task-knowledge/rules.ts';
import { taskCatalog } from '../../../../shared/tasks/catalog.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
let directory: string;
let folder: string;

/** The smallest PNG: one transparent pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const page = `# CheckT1

Our own words.

![head](https://example.org/a.png)

## What it measures

How long it lasts.
![a picture](good.png)

\`\`\`mermaid
## not a heading
\`\`\`

## Physical principle

It decays.

## Expected curve

A decay.

- result_type: decay_curve
- x_axis: Time (µs)
- good_visual: smooth
![missing](missing.png)
![not an image](index.md)
![outside](../../../secret.png)

## Evaluation criteria

It fits.

check_questions:
- "Is it smooth?"
- not quoted

## Common failure modes

- [critical] Flat
  - cause: no drive
  - visual: a line
  - next: drive
- Noisy

## Tips

- First
  goes on
- Second

## Output parameters

- t1: the time

## Analysis guide

1. Look
2. Think

## Run parameters

- ignored: yes
`;

const caseText = `# A cold day

- date: 2026-01-02
- chip_id: CHIP
- qid: 3
- labels: none

## Symptom

Short T1.

![seen](seen.png)

## Root cause

A defect.

## Lesson learned

- Wait
- Measure again
`;

beforeAll(async () => {
  own = await openOwnAreas();
  directory = await mkdtemp(join(tmpdir(), 'calibron-knowledge-'));
  folder = join(directory, 'task-knowledge', 'td-characterization', 'CheckT1');
  await mkdir(join(folder, 'cases'), { recursive: true });
  await writeFile(join(folder, 'index.md'), page);
  await writeFile(join(folder, 'good.png'), png);
  await writeFile(join(directory, 'secret.png'), png);
  await writeFile(
    join(folder, 'review.md'),
    '# Review\n\nLook twice.\n\n## Steps\n\n![r](good.png)\n\nThink.\n',
  );
  await writeFile(join(folder, 'cases', 'cold.md'), caseText);
  await writeFile(join(folder, 'cases', 'seen.png'), png);
});
afterAll(async () => {
  await own.close();
  await rm(directory, { recursive: true });
});

const open = () =>
  area.create({
    ...own.kernel,
    configuration: own.areas.configuration,
    knowledgeCases: own.areas.knowledgeCases,
    images: own.areas.images,
    artifacts: own.areas.artifacts,
    settings: readSettings({ CONFIG_PATH: directory }),
  });

describe('the shipped pages', () => {
  test.each(taskCatalog.map((task) => [task.name, task] as const))('tell all of %s', async (name, task) => {
    const known = await own.areas.taskKnowledge.read(name);
    expect(`${known.category}/${known.name}`).toBe(knowledgeFolderOf(task));
    for (const text of [
      known.summary,
      known.what_it_measures,
      known.physical_principle,
      known.evaluation_criteria,
    ]) {
      expect(text.length).toBeGreaterThan(20);
    }
    expect(known.expected_result.result_type).toMatch(
      /^(decay_curve|oscillation|2d_map|histogram|scatter_plot|peak_curve|scalar_metric)$/,
    );
    expect(known.expected_result.good_visual).not.toBe('');
    expect(known.check_questions.length).toBeGreaterThan(0);
    expect(known.failure_modes.length).toBeGreaterThan(0);
    for (const mode of known.failure_modes) {
      expect(Object.values(mode).filter((text) => text === '')).toEqual([]);
      expect(mode.severity).toMatch(/^(critical|warning|info)$/);
    }
    expect(known.tips.length).toBeGreaterThan(0);
    expect(known.analysis_guide.length).toBeGreaterThan(0);
    expect(known.output_parameters_info.map((each) => each.name)).toEqual(Object.keys(task.outputs));
    expect(known.images.map(({ relative_path }) => relative_path)).toEqual(
      task.figures.length > 0 ? ['expected.png'] : [],
    );
  });

  test('are listed by category, then name', async () => {
    const { items, categories } = await own.areas.taskKnowledge.list();
    expect(items).toHaveLength(taskCatalog.length);
    const order = Object.keys(categories);
    const keys = items.map(({ category, name }) => `${order.indexOf(category)} ${name}`);
    expect(keys).toEqual([...keys].sort());
    expect(categories['td-characterization']).toBe('TD Characterization');
  });
});

test('a page is read by its headings', () => {
  expect(readTaskPage(page, 'CheckT1')).toEqual({
    name: 'CheckT1',
    summary: 'Our own words.',
    what_it_measures: 'How long it lasts.\n\n```mermaid\n## not a heading\n```',
    physical_principle: 'It decays.',
    expected_result: {
      description: 'A decay.',
      result_type: 'decay_curve',
      x_axis: 'Time (µs)',
      y_axis: '',
      z_axis: '',
      fit_model: '',
      typical_range: '',
      good_visual: 'smooth',
    },
    evaluation_criteria: 'It fits.',
    check_questions: ['Is it smooth?'],
    failure_modes: [
      {
        severity: 'critical',
        description: 'Flat',
        cause: 'no drive',
        visual: 'a line',
        next_action: 'drive',
      },
      { severity: 'warning', description: 'Noisy', cause: '', visual: '', next_action: '' },
    ],
    tips: ['First goes on', 'Second'],
    output_parameters_info: [{ name: 't1', description: 'the time' }],
    analysis_guide: ['Look', 'Think'],
    prerequisites: [],
  });
});

test('a case is read by its facts and headings', () => {
  expect(readCasePage(caseText)).toMatchObject({
    title: 'A cold day',
    date: '2026-01-02',
    severity: 'warning',
    chip_id: 'CHIP',
    qid: '3',
    status: 'resolved',
    symptom: 'Short T1.',
    root_cause: 'A defect.',
    lesson_learned: ['Wait', 'Measure again'],
  });
});

describe('a page of the lab', () => {
  test('counts before the shipped one, with its pictures as far as they are there and pictures', async () => {
    const known = await open().read('CheckT1');
    expect(known.summary).toBe('Our own words.');
    expect(
      known.images.map(({ alt_text, section, base64_data }) => [alt_text, section, base64_data !== '']),
    ).toEqual([
      ['head', '', false],
      ['a picture', 'what it measures', true],
      ['missing', 'expected curve', false],
      ['not an image', 'expected curve', false],
      ['outside', 'expected curve', false],
    ]);
    expect(known.review_images).toEqual([
      expect.objectContaining({ section: 'review', base64_data: png.toString('base64') }),
    ]);
    expect(known.cases[0]?.images[0]).toMatchObject({ section: 'case', base64_data: png.toString('base64') });
    expect(known.prompt_text).toContain('## Past cases\n\n- A cold day: Short T1.: A defect.');
    expect(known.review_prompt_text).toContain('Look twice.');
    expect(known.review_prompt_text).not.toContain('![');
  });

  test('has its pictures in the Markdown, and those of cases at its end', async () => {
    const uri = `data:image/png;base64,${png.toString('base64')}`;
    const text = await open().markdown('CheckT1');
    expect(text).toContain(`![a picture](${uri})`);
    expect(text).toContain('![head](https://example.org/a.png)');
    expect(text).toContain(`## Past cases\n\n### A cold day\n\n![seen](${uri})`);
    await expect(open().markdown('../CheckT1')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is read again when it changed', async () => {
    const knowledge = open();
    expect((await knowledge.read('CheckT1')).tips).toHaveLength(2);
    await writeFile(join(folder, 'index.md'), page.replace('- Second\n', ''));
    await utimes(join(folder, 'index.md'), new Date(), new Date(Date.now() + 5000));
    vi.spyOn(performance, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER);
    expect((await knowledge.read('CheckT1')).tips).toHaveLength(1);
    vi.restoreAllMocks();
  });
});
