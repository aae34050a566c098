import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { executionIdSchema } from '../../shared/kernel/ids.ts';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';

const CHIP = 'A16';
const FLOW = `import type { Session } from 'calibron';
export async function look(session: Session) {
  await session.run({ name: 'Coherence', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.qubits([2, 3]) });
}
`;
const started = z.object({ execution_id: executionIdSchema });
const resultList = z.object({ items: z.array(z.object({ task_id: z.string(), end_at: z.string() })) });
const state = z.object({ status: z.string() });

describe.skipIf(browserPath() === undefined)('the lists of the console', () => {
  let pages: ConsolePages;
  let project: string;
  const executions: string[] = [];

  beforeAll(async () => {
    pages = await openConsolePages();
    const { api } = pages;
    project = await api.newProject(CHIP, ['2', '3']);
    await api.ask('/flows', { name: 'look', chip_id: CHIP, code: FLOW });
    for (let run = 0; run < 2; run++) {
      const { execution_id } = started.parse(await (await api.ask('/flows/look/execute', {})).json());
      await vi.waitFor(
        async () => {
          const run = await (await api.ask(`/executions/${execution_id}`)).json();
          expect(state.parse(run).status).toBe('completed');
        },
        { timeout: 120_000, interval: 200 },
      );
      executions.push(execution_id);
    }
  });
  afterAll(() => pages?.close());

  test('on a phone every page of the bar is in sight, and wide tables move within the page', async ({
    onTestFailed,
  }) => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const { page, context } = await pages.enter(`?project=${project}`, undefined, phone);
    onTestFailed(() => pages.tellOfFailure(page));
    const bar = page.getByRole('navigation').first().getByRole('link');
    await bar.last().waitFor();
    const edges = await bar.evaluateAll((links) => links.map((link) => link.getBoundingClientRect().right));
    expect(Math.max(...edges)).toBeLessThanOrEqual(390);
    for (const path of [`execution/${CHIP}/${executions[0]}`, 'results', 'executions', 'compare', 'people']) {
      await page.goto(`${pages.api.base}/console/${path}?project=${project}`);
      await page.getByRole('heading').first().waitFor();
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390]);
    }
    await context.close();
  });

  test('an address that names a chip or a project which is not there says so, and what it shows instead', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`?project=${project}&chip=GONE`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByText(`This project has no chip GONE in use. Pages about a chip show ${CHIP}.`).waitFor();
    await page.goto(`${pages.api.base}/console/?project=${project}&chip=${CHIP}`);
    await page.getByRole('heading', { name: CHIP }).waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
    await page.goto(`${pages.api.base}/console/people?project=nothing`);
    await page.getByText('This address names a project that does not exist').waitFor();
    await context.close();
  });

  test('results are found by task, target and day, and what is shown is in the address', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`results?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    const rows = page.getByRole('rowheader');
    await expect.poll(() => rows.count()).toBe(8);
    await pages.look(page, 'results');

    await page.getByRole('button', { name: /^All Task/ }).click();
    await page.getByRole('option', { name: 'CheckT1', exact: true }).click();
    await expect.poll(() => rows.count()).toBe(4);
    await page.getByLabel('Target').fill('3');
    await expect.poll(() => rows.count()).toBe(2);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      task: 'CheckT1',
      target: '"3"',
    });
    // The same address shows the same in another tab.
    const other = await context.newPage();
    await other.goto(page.url());
    await expect.poll(() => other.getByRole('rowheader').count()).toBe(2);
    await other.close();

    await page.getByLabel('From').fill('2999-01-01');
    await page.getByText('No result is like this').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => rows.count()).toBe(8);
    await page.getByRole('link', { name: 'CheckRabi' }).first().click();
    await page.getByRole('heading', { name: /^CheckRabi on/ }).waitFor();
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('two executions are compared by standard errors, on the lattice and as a table', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`compare?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    // The newest two, until others are chosen.
    const t1 = page.getByRole('row', { name: /T1/ });
    await t1.first().waitFor();
    expect(await t1.count()).toBe(2);
    await pages.look(page, 'compare-executions');
    await page.getByRole('button', { name: /^All Parameter/ }).click();
    await page.getByRole('option', { name: /^T1/ }).click();
    const qubit = page.getByRole('button', { name: /^Qubit 3, T1.* changed by [+−]?[\d.]+ standard errors/ });
    await qubit.click();
    await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['3']);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      parameter: 't1',
      target: '"3"',
    });
    await page.goto(
      `${pages.api.base}/console/compare?project=${project}&before=${executions[1]}&after=${executions[1]}`,
    );
    await page.getByText('Nothing changed').waitFor();

    await page.getByText('Two days').click();
    // Both runs are of one day, or of two if midnight lay between them.
    await page.getByText('Nothing changed').or(t1.first()).waitFor();
    await page.getByLabel('Before').fill('2001-01-01');
    await t1.first().waitFor();
    await page.getByRole('cell', { name: 'none' }).first().waitFor();
    await pages.look(page, 'compare-days');
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('an excluded result is hollow in the history of a value, in which a cool-down begins with a line', async ({
    onTestFailed,
  }) => {
    const { api } = pages;
    const found = await api.ask(`/task-results?chip_id=${CHIP}&task=CheckT1&qid=2`);
    const [newest] = resultList.parse(await found.json()).items;
    await api.ask(`/task-results/${newest?.task_id}/exclude`, { excluded: true, reason: 'the pump was on' });
    await api.ask('/cryostats', { cryo_id: 'ice' });
    const minuteBefore = new Date(newest?.end_at ?? expect.fail()).getTime() - 60_000;
    const started_at = new Date(minuteBefore).toISOString();
    await api.ask('/cooldowns', { cooldown_id: 'first', cryo_id: 'ice', started_at, chip_ids: [CHIP] });

    const { page, context } = await pages.enter(`?project=${project}&target=2`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('button', { name: 't1', exact: true }).click();
    const plot = page.getByRole('region', { name: 't1 of 2 over time' });
    await plot.locator('.main-svg').first().waitFor();
    await plot.getByText('excluded', { exact: true }).waitFor();
    await expect.poll(() => plot.locator('.shapelayer path').count()).toBe(1);
    await page.getByRole('row', { name: /excluded: the pump was on/ }).waitFor();
    await pages.look(page, 'chip-history-excluded');

    await page.getByRole('tab', { name: 'Figures' }).click();
    await page.getByRole('button', { name: /Task$/ }).click();
    await page.getByRole('option', { name: 'CheckT1', exact: true }).click();
    const figures = page.getByRole('figure').locator('.main-svg');
    await page.getByText(/^Newest, /).waitFor();
    await page.getByText(/^Earlier, /).waitFor();
    await expect.poll(() => figures.count()).toBeGreaterThan(1);
    await pages.look(page, 'chip-figures-side-by-side');
    expect(pages.faults).toEqual([]);
    await context.close();
  });
});
