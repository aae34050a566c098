import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MeasureRequest } from '../../activities/backends/backend.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { readOwnTask } from '../../shared/tasks/own-tasks.ts';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';
import { serveBackend } from '../support/foreign-backend.ts';

const CHIP = 'A16';
const BACKEND = 'console-fridge';
const FLOW = `import type { Session } from 'calibron';
export async function noise(session: Session) {
  await session.run({ name: 'Noise', tasks: ['LabNoise'], targets: session.targets.qubits([2]) });
}
`;
const METRIC = `qubit_metrics:
  lab_noise:
    title: Noise
    unit: kHz
    scale: 1
    description: Width of the line.
    evaluation: { mode: minimize }
`;

describe.skipIf(browserPath() === undefined)('the console of a lab with a task of its own', () => {
  let pages: ConsolePages;
  let project: string;
  let worker: Awaited<ReturnType<typeof serveBackend>> | undefined;
  /** The gain of each measurement. */
  const gains: unknown[] = [];

  const configured = (file: string) => join(pages.api.lab.settings.CONFIG_PATH, file);

  beforeAll(async () => {
    pages = await openConsolePages();
    const { api } = pages;
    const { lab } = api;
    project = await api.newProject(CHIP, []);
    // Other files share the laboratory, so only this project may use the backend.
    const backends = { simulator: {}, [BACKEND]: { projects: [project] } };
    const metrics = await readFile(new URL('config/metrics.yaml', packageRoot), 'utf8');
    await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
    await writeFile(configured('backends.json'), JSON.stringify({ backends }));
    await writeFile(configured('metrics.yaml'), metrics.replace('qubit_metrics:\n', METRIC));
    await api.ask('/admin/config/reload', {});
    const description = 'Measures what only this lab knows.';
    const declaration = {
      type: 'qubit',
      run_parameters: { gain: { value: 1, value_type: 'float', maximum: 10 } },
      outputs: { lab_noise: { unit: 'kHz', minimum: 0 } },
      r2_threshold: 0.5,
    };
    const describeItself = async () => ({
      contract: 1,
      // The one with which the SDK polls.
      identity: `${process.pid}@${hostname()}`,
      tasks: [{ name: 'LabNoise', description, run_parameters: { gain: 1 }, declaration }],
    });
    // Noted at once; otherwise the next look at the workers finds it.
    const own = readOwnTask('LabNoise', description, declaration);
    await lab.areas.backends.noteOwnTasks(
      BACKEND,
      [typeof own === 'string' ? expect.fail(own) : own],
      new Date(),
    );
    const measure = async ({ targets, run_parameters }: MeasureRequest) => {
      gains.push(run_parameters['gain']?.value);
      const figure = {
        data: [{ type: 'scatter', x: [0, 1], y: [1, 0] }],
        layout: { title: { text: 'Noise' } },
      };
      const found = {
        outputs: { lab_noise: { value: 12.5, error: 0.5, unit: 'kHz' } },
        quality: { r2: 0.9 },
        figures: [figure],
      };
      return { targets: Object.fromEntries(targets.map((target) => [target, found])) };
    };
    worker = await serveBackend(lab, BACKEND, measure, { describe: describeItself });
    await api.ask('/flows', { name: 'noise', chip_id: CHIP, code: FLOW });
  });
  afterAll(async () => {
    await worker?.close();
    await Promise.all(['backends.json', 'metrics.yaml'].map((file) => rm(configured(file), { force: true })));
    await pages?.api.ask('/admin/config/reload', {});
    await pages?.close();
  });

  test('measures it from the form of a qubit, and shows its run, its figure and its value', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`?project=${project}&target=3`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('tab', { name: 'Measure' }).click();
    await page.getByRole('button', { name: /^simulator Backend/ }).click();
    await page.getByRole('option', { name: BACKEND }).click();
    await page.getByRole('button', { name: /Task$/ }).click();
    await page.getByRole('option', { name: 'LabNoise' }).click();
    await page.getByText('Measures what only this lab knows.').waitFor();
    await page.getByLabel('gain').fill('4');
    await page.getByText('Keep values').click();
    await pages.look(page, 'measure-own-task');
    await page.getByRole('button', { name: 'Measure LabNoise' }).click();

    await page.getByRole('button', { name: 'LabNoise on 3: passed' }).click();
    await page
      .getByRole('region', { name: 'LabNoise on 3, figure 1' })
      .locator('.main-svg')
      .first()
      .waitFor();
    await page.locator('.status.completed').waitFor();
    expect(gains).toEqual([4]);

    await page.goto(`${pages.api.base}/console/?project=${project}&metric=lab_noise`);
    await page.getByRole('button', { name: /^Qubit 3, Noise 12\.5.*kHz/ }).click();
    const row = page.getByRole('row', { name: /lab_noise/ });
    await row.getByText(/12\.5/).waitFor();
    await row.getByRole('button', { name: 'lab_noise' }).click();
    await page
      .getByRole('region', { name: 'lab_noise of 3 over time' })
      .locator('.main-svg')
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.getByText('12.5 kHz is a finite number.').waitFor();
    await page.getByRole('link', { name: 'LabNoise' }).first().waitFor();
    await context.close();
    expect(pages.faults).toEqual([]);
  });

  test('finds it by name, starts a flow with it on the backend, and lists its results', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`start?project=${project}&flow=noise`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('button', { name: /^simulator Backend/ }).click();
    await page.getByRole('option', { name: BACKEND }).click();
    await page.getByRole('button', { name: `Start on ${CHIP}` }).click();
    await page.getByRole('button', { name: 'LabNoise on 2: passed' }).waitFor();
    await page.locator('.status.completed').waitFor();

    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Page, chip, qubit, run or task').fill('LabNoise');
    await page.getByRole('menuitem', { name: 'Measure LabNoise on 0' }).click();
    await page.getByRole('button', { name: 'Measure LabNoise' }).waitFor();
    await page.getByRole('button', { name: new RegExp(`^${BACKEND} Backend`) }).waitFor();

    await page.goto(`${pages.api.base}/console/results?project=${project}`);
    await page.getByRole('button', { name: /^All Task/ }).click();
    await page.getByRole('option', { name: 'LabNoise', exact: true }).click();
    await expect.poll(() => page.getByRole('rowheader', { name: 'LabNoise' }).count()).toBe(2);
    await context.close();
    expect(pages.faults).toEqual([]);
  });
});
