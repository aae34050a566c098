import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { browserPath } from '../support/browser.ts';
import { administrator } from '../support/common-laboratory.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';

const CHIP = 'A16';
const QIDS = Array.from({ length: 16 }, (_, index) => String(index));
const FLOW = `import type { ParameterDeclarations, Session } from 'calibron';
export const parameters = {
  qids: { type: 'qubits', description: 'Qubits to measure' },
} as const satisfies ParameterDeclarations;
export async function look(session: Session<typeof parameters>) {
  const rabi = await session.run({ name: 'Rabi', tasks: ['CheckRabi', 'CheckT1'], targets: session.targets.chosen() });
  session.log(\`\${rabi.passed.length} passed\`);
}
`;
const PICK = `import type { ParameterDeclarations, Session } from 'calibron';
export const parameters = {
  mux_ids: { type: 'muxes', description: 'Multiplexers to measure' },
  pairs: { type: 'pairs', description: 'Couplings to measure' },
} as const satisfies ParameterDeclarations;
export async function pick(session: Session<typeof parameters>) {
  session.log(JSON.stringify([session.parameters.mux_ids, session.parameters.pairs]));
}
`;

const hasBrowser = browserPath() !== undefined;
if (!hasBrowser)
  console.log(
    'The tests of the console are skipped: no browser (CALIBRON_BROWSER, or chromium on the PATH).',
  );

describe.skipIf(!hasBrowser)('the console', () => {
  let pages: ConsolePages;
  let project: ProjectId;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    pages = await openConsolePages();
    project = await pages.api.newProject(CHIP, QIDS);
    await pages.api.ask('/flows', { name: 'look', chip_id: CHIP, code: FLOW });
    await pages.api.ask('/flows', { name: 'pick', chip_id: CHIP, code: PICK });
    ({ context, page } = await pages.open());
  });
  afterAll(() => pages?.close());

  const look = (name: string) => pages.look(page, name);
  const node = (qid: string) => page.getByRole('button', { name: new RegExp(`^Qubit ${qid}(,|$)`) });

  test('a newcomer signs in, looks, starts a run, watches it, sees why a task failed, measures it again, asks why a value is what it is, and schedules', async ({
    onTestFailed,
  }) => {
    onTestFailed(() => pages.tellOfFailure(page));
    await page.goto(`${pages.api.base}/?project=${project}`);
    await page.getByRole('heading', { name: 'Calibron' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/');
    await page.goto(`${pages.api.base}/console/?project=${project}`);
    await page.getByLabel('Username').fill(administrator.username);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('is wrong').waitFor();
    await look('sign-in');
    // The page looks again and again whether there is a session, and leaves alone what is typed.
    await page.waitForResponse((response) => response.url().endsWith('/auth/me'));
    expect(await page.getByLabel('Username').inputValue()).toBe(administrator.username);
    await page.getByLabel('Password').fill(administrator.password);
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByRole('heading', { name: CHIP }).waitFor();
    await node('15').waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    await look('chip-at-first');
    await page.getByText('Choose a qubit or a coupling to see its values').waitFor();

    await page.getByRole('link', { name: 'Start', exact: true }).click();
    await page.getByRole('link', { name: /^look/ }).click();
    await node('2').click();
    await node('3').click();
    await page.getByText('Chosen: 2, 3').waitFor();
    await look('start');
    const match = { project_id: project, task_name: 'CheckT1', targets: ['3'] };
    await pages.api.lab.setFaults({ rules: [{ match, behaviour: 'noise' }] });
    await page.getByRole('button', { name: `Start on ${CHIP}` }).click();

    await page.getByRole('heading', { name: 'look' }).waitFor();
    const failed = page.getByRole('button', { name: 'CheckT1 on 3: failed' });
    await failed.waitFor();
    await page.getByRole('button', { name: 'CheckRabi on 2: passed' }).click();
    await page
      .getByRole('region', { name: 'CheckRabi on 2, figure 1' })
      .locator('.main-svg')
      .first()
      .waitFor();
    await page.locator('.log li', { hasText: '2 passed' }).waitFor();
    await page.locator('.status.completed').waitFor();
    // By the name of its stage, also if that began after the last look at a short run.
    await page.getByRole('heading', { name: /^Rabi/ }).waitFor();
    await look('run');

    await failed.click();
    const result = page.getByRole('complementary', { name: 'Result' });
    await result.locator('.gate-message').first().waitFor();
    await result
      .getByRole('region', { name: /figure 1$/ })
      .locator('.main-svg')
      .first()
      .waitFor();
    await look('run-failed');
    await pages.api.lab.setFaults({ rules: [] });
    const before = page.url();
    await page.getByRole('button', { name: 'Rerun what failed' }).click();
    await page.getByRole('button', { name: 'CheckT1 on 3: passed' }).waitFor();
    await page.locator('.status.completed').waitFor();
    expect(new URL(page.url()).pathname).not.toBe(new URL(before).pathname);
    await page.getByRole('link', { name: 'Run it again' }).click();
    await page.getByRole('button', { name: `Start on ${CHIP}` }).waitFor();

    await page.getByRole('link', { name: 'Chip', exact: true }).click();
    await page.getByRole('button', { name: /^Qubit 2, T1 .* ± .* μs/ }).click();
    await page.getByRole('heading', { name: 'Qubit 2' }).waitFor();
    await page.getByRole('button', { name: 't1', exact: true }).waitFor();
    await look('chip-qubit');
    const holds = page.getByRole('img', { name: 'holds. Found by CheckT1 within its window.' });
    await holds.first().waitFor();
    await page.getByRole('button', { name: /^Value.*Colour/ }).click();
    await page.getByRole('option', { name: 'Whether it holds' }).click();
    await page.getByRole('button', { name: /^Qubit 2, holds\. Found by CheckT1/ }).waitFor();
    await page.getByRole('button', { name: /^Qubit 1, not measured/ }).waitFor();
    await look('chip-holding');
    await page.getByRole('button', { name: 't1', exact: true }).click();
    await page.getByRole('region', { name: 't1 of 2 over time' }).locator('.main-svg').first().waitFor();
    await look('chip-history');
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.getByText('Found by').waitFor();
    // Six digits at most: more are known of no value.
    await page.getByText(/^✓? ?\d{1,5}(\.\d{1,5})? us is a finite number\.$/).waitFor();
    await page.getByRole('link', { name: 'Raw data' }).first().waitFor();
    await look('chip-why');
    await page.keyboard.press('Control+k');
    const wanted = page.getByPlaceholder('Page, chip, qubit, run or task');
    await wanted.fill('run look');
    await page
      .getByRole('menuitem', { name: /^Run look-\d{8}-\d{3}$/ })
      .first()
      .waitFor();
    await wanted.fill('CheckRabi');
    await page.getByRole('menuitem', { name: 'Measure CheckRabi on 2' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Figures' }).click();
    await page
      .getByRole('region', { name: /figure 1/ })
      .locator('.main-svg')
      .first()
      .waitFor();
    await look('chip-figures');

    await page.getByRole('link', { name: 'Start', exact: true }).click();
    await page.getByRole('link', { name: /^look/ }).click();
    await page.getByText('Again and again').click();
    await page.getByText('Next times, in Asia/Tokyo').waitFor();
    await page.getByText('When two runs want the chip').click();
    await page.getByRole('button', { name: /Priority$/ }).click();
    await page.getByRole('option', { name: '3', exact: true }).click();
    await page.getByText('Let more urgent runs in between', { exact: true }).click();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('Flow look was scheduled.').waitFor();
    await look('start-schedule');
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('button', { name: 'Pause look' }).click();
    await page.getByRole('button', { name: 'Resume look' }).waitFor();
    await page
      .getByRole('rowheader', { name: /^look priority 3, lets more urgent runs in between$/ })
      .waitFor();
    await look('schedules');
    await page.getByRole('button', { name: 'Delete the schedule of look' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing is scheduled').waitFor();

    await page.getByRole('link', { name: 'Executions' }).click();
    await page.getByRole('link', { name: 'look' }).first().waitFor();
    await look('executions');
    expect(pages.faults).toEqual([]);
  });

  test('multiplexers and couplings are picked on the lattice', async ({ onTestFailed }) => {
    const { page: picking, context: own } = await pages.enter(`start?project=${project}&flow=pick`);
    onTestFailed(() => pages.tellOfFailure(picking));
    const muxes = picking.getByRole('group', { name: 'mux_ids: choose on the lattice' });
    await picking.getByText('Nothing chosen; choose a qubit to choose its multiplexer').waitFor();
    await muxes.getByRole('button', { name: /^Qubit 5(,|$)/ }).click();
    await picking.getByText('Multiplexers to measure. Chosen: 1').waitFor();
    // A multiplexer is chosen as a whole.
    await expect.poll(() => muxes.getByRole('button', { name: /, chosen$/ }).count()).toBe(4);
    const pairs = picking.getByRole('group', { name: 'pairs: choose on the lattice' });
    const [one, other] = ['0-1', '3-2'].map((id) =>
      pairs.getByRole('button', { name: new RegExp(`^Coupling ${id}(,|$)`) }),
    );
    // By keys, because the box of a line has no height that the test could click on.
    await one?.press('Enter');
    await other?.press('Enter');
    await picking.getByText('Couplings to measure. Chosen: 0-1, 3-2').waitFor();
    await other?.press('Enter');
    await picking.getByText('Couplings to measure. Chosen: 0-1', { exact: true }).waitFor();
    await pages.look(picking, 'start-picking');
    await picking.getByRole('button', { name: `Start on ${CHIP}` }).click();
    await picking.locator('.log li', { hasText: '[[1],["0-1"]]' }).waitFor();
    await picking.locator('.status.completed').waitFor();
    expect(pages.faults).toEqual([]);
    await own.close();
  });

  test('a viewer sees the same chip and runs, and no button that would be refused', async () => {
    const viewer = { username: `viewer-${project.slice(0, 8)}`, password: 'look but do not touch' };
    await pages.api.ask('/auth/register', viewer);
    await pages.api.ask(`/projects/${project}/members`, { username: viewer.username, role: 'viewer' });
    const { page: theirs, context: own } = await pages.enter(`?project=${project}&target=2`, viewer);
    await theirs.getByRole('tab', { name: 'Values' }).waitFor();
    expect(await theirs.getByRole('tab').allTextContents()).toEqual([
      'Values',
      'History',
      'Figures',
      'Why',
      'Discussion',
    ]);
    await theirs.getByRole('link', { name: 'Start', exact: true }).click();
    await theirs.getByText('You can view runs, but not start them').waitFor();
    await theirs.getByRole('link', { name: 'Executions' }).click();
    await theirs.getByRole('link', { name: 'look' }).first().click();
    await theirs.getByRole('button', { name: 'CheckT1 on 3: passed' }).waitFor();
    expect(await theirs.getByRole('button', { name: /Pause|Resume|Stop|Cancel|Rerun/ }).count()).toBe(0);
    await own.close();
  });

  test('the session is in every tab, and a sign-out ends it in all of them', async () => {
    const other = await context.newPage();
    await other.goto(`${pages.api.base}/console/executions?project=${project}`);
    await other.getByRole('heading', { name: /Executions/ }).waitFor();
    await page.getByRole('button', { name: administrator.username }).click();
    const guide = page.getByRole('menuitem', { name: 'Guide' });
    expect(await guide.getAttribute('href')).toBe(`${pages.api.base}/docs/guide/`);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    await other.close();
  });
});
