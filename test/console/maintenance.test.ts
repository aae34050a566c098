import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';

const CHIP = 'A16';
const FLOW = `import type { Session } from 'calibron';
export async function keep(session: Session) {
  await session.maintain({ targets: ['0', '1'], tasks: ['CheckRabi', 'CreateHPIPulse', 'CheckT1'], seconds: 600, mode: 'serial' });
}
`;
const started = z.object({ execution_id: z.string() });

describe.skipIf(browserPath() === undefined)('maintenance in the console', () => {
  let pages: ConsolePages;
  let project: string;
  let execution: string;

  beforeAll(async () => {
    pages = await openConsolePages();
    const { api } = pages;
    project = await api.newProject(CHIP, ['0', '1']);
    await api.ask('/flows', { name: 'keep', flow_function_name: 'keep', chip_id: CHIP, code: FLOW });
    execution = started.parse(await (await api.ask('/flows/keep/execute', {})).json()).execution_id;
  });
  afterAll(() => pages?.close());

  test('a run says what it decided and why, and a qubit what its values depend on', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`execution/${CHIP}/${execution}?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.locator('.status.completed').first().waitFor();
    const decisions = page.getByRole('table', { name: 'Decisions of the maintenance' });
    await decisions.getByRole('cell', { name: 'calibrate', exact: true }).first().waitFor();
    await pages.look(page, 'run-decisions');
    await page.getByRole('button', { name: /Decisions to show$/ }).click();
    await page.getByRole('option', { name: 'At the end' }).click();
    await decisions
      .getByRole('cell', { name: 'calibrate', exact: true })
      .first()
      .waitFor({ state: 'detached' });
    await decisions.getByRole('cell', { name: 'holds', exact: true }).first().waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await pages.look(page, 'run-decisions-end');

    await page.goto(`${pages.api.base}/console/?project=${project}&target=0`);
    await page.getByRole('link', { name: 'What these values depend on' }).click();
    const rabi = page.getByRole('button', { name: 'CheckRabi: holds' });
    await rabi.waitFor();
    await pages.look(page, 'maintenance');
    await rabi.click();
    await page.getByRole('heading', { name: 'Found by CheckRabi' }).waitFor();
    await pages.look(page, 'maintenance-task');
    // The chosen task is in the address, so that a link shows a colleague the same.
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ task: 'CheckRabi' });
    await page.getByRole('link', { name: 'Back to the chip' }).click();
    await page.getByRole('heading', { name: 'Qubit 0' }).waitFor();
    expect(pages.faults).toEqual([]);
    await context.close();
  });
});
