import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';
import { executionNamed, userNamed } from '../support/ids.ts';
import { storedExecution, storedTask } from '../support/stored-results.ts';

const CHIP = 'A16';
const QUBITS = 1024;
const TASKS = ['CheckRabi', 'CheckT1'];
/** Rows that a screen of this height and twice as much above and below hold. */
const DRAWN = 130;

describe.skipIf(browserPath() === undefined)('a run of 1,024 qubits', () => {
  let pages: ConsolePages;
  let project: ProjectId;
  let execution: string;

  beforeAll(async () => {
    pages = await openConsolePages();
    const { api } = pages;
    project = await api.newProject(CHIP, []);
    const owner = { id: userNamed('usr_ada'), username: 'ada' };
    const stored = storedExecution(project, owner, { chip_id: CHIP });
    execution = stored.execution_id;
    const rows = Array.from({ length: QUBITS }, (_, qid) =>
      TASKS.map((name, index) =>
        storedTask(project, owner, {
          ...{ execution_id: executionNamed(execution), chip_id: CHIP, name, qid: String(qid), index },
          // The last one did not pass, so that the row at the end is another one.
          ...(qid === QUBITS - 1 && { status: 'failed', message: 'The fit is poor.' }),
        }),
      ),
    ).flat();
    const { db } = api.lab.database;
    await db.collection<typeof stored>('executions').insertOne(stored);
    await db.collection<(typeof rows)[number]>('task_results').insertMany(rows);
  });
  afterAll(() => pages?.close());

  test('draws the rows on the screen and no others, and the last one where a person scrolls there', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`execution/${CHIP}/${execution}?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    const matrix = page.getByRole('table').filter({ hasText: 'CheckT1' });
    await matrix.getByRole('button', { name: 'CheckT1 on 0: passed' }).waitFor();
    expect(await matrix.getAttribute('aria-rowcount')).toBe(String(QUBITS + 1));
    const drawn = matrix.getByRole('rowheader');
    expect(await drawn.count()).toBeLessThanOrEqual(DRAWN);
    expect(await matrix.getByRole('rowheader', { name: '1023' }).count()).toBe(0);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const last = matrix.getByRole('button', { name: 'CheckT1 on 1023: failed' });
    await last.waitFor();
    expect(await drawn.count()).toBeLessThanOrEqual(DRAWN);
    expect(await matrix.getByRole('rowheader', { name: '0', exact: true }).count()).toBe(0);
    await pages.look(page, 'run-of-1024-qubits');
    await last.click();
    await page.getByText('The fit is poor.').first().waitFor();
    await context.close();
    expect(pages.faults).toEqual([]);
  });

  test('the page of a chip of 1,024 qubits shows each of them, and opens the last one', async ({
    onTestFailed,
  }) => {
    await pages.api.ask('/chips', { chip_id: 'A1024', size: QUBITS });
    const { page, context } = await pages.enter(`?project=${project}&chip=A1024`);
    onTestFailed(() => pages.tellOfFailure(page));
    const qubits = page.getByRole('button', { name: /^Qubit \d+/ });
    await expect.poll(() => qubits.count()).toBe(QUBITS);
    await pages.look(page, 'chip-of-1024-qubits');
    await page.getByRole('button', { name: /^Qubit 1023(,|$)/ }).click();
    await page.getByRole('heading', { name: 'Qubit 1023' }).waitFor();
    expect(new URL(page.url()).searchParams.get('target')).toBe('"1023"');
    await context.close();
    expect(pages.faults).toEqual([]);
  });
});
