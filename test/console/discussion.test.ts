import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { taskIdSchema } from '../../shared/kernel/ids.ts';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';

const CHIP = 'A16';
const results = z.object({
  items: z.array(z.object({ task_id: taskIdSchema, status: z.string() })),
});

describe.skipIf(browserPath() === undefined)('the discussion of what was measured', () => {
  let pages: ConsolePages;
  let project: string;
  const viewer = { username: '', password: 'look but do not touch' };

  beforeAll(async () => {
    pages = await openConsolePages();
    project = await pages.api.newProject(CHIP, ['0']);
    viewer.username = `grace-${project.slice(0, 8)}`;
    await pages.api.ask('/auth/register', viewer);
    await pages.api.ask(`/projects/${project}/members`, { username: viewer.username, role: 'viewer' });
    await pages.api.ask('/tasks/CheckT1/execute', { chip_id: CHIP, qid: '0' });
  });
  afterAll(() => pages?.close());

  test('a note and a comment are shown at the qubit, and a mentioned user reaches them from the inbox', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`?project=${project}&target=0&tab=discussion`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('button', { name: 'Write a note' }).click();
    await page.getByRole('textbox', { name: 'Note', exact: true }).fill('The line was changed.');
    await page.getByRole('button', { name: 'Save the note' }).click();
    await page.getByRole('button', { name: 'Change the note' }).waitFor();
    await page
      .getByRole('textbox', { name: 'Comment', exact: true })
      .pressSequentially('Is it better now, @gr');
    await page.getByRole('button', { name: `@${viewer.username}` }).click();
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('.mention', { hasText: viewer.username }).waitFor();
    await page.getByRole('button', { name: 'Begin a thread' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Drift of qubit 0');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('It drifts since Monday.');
    await page.getByRole('button', { name: 'Begin', exact: true }).click();
    await page.getByRole('link', { name: /Drift of qubit 0/ }).waitFor();
    await pages.look(page, 'chip-discussion');

    const hers = await pages.enter(`forum?project=${project}`, viewer);
    onTestFailed(() => pages.tellOfFailure(hers.page));
    await hers.page.getByRole('link', { name: 'Inbox, 1 not read' }).click();
    await hers.page.getByRole('button', { name: /mentioned you in a comment on qubit 0/ }).waitFor();
    await pages.look(hers.page, 'inbox');
    await hers.page.getByRole('button', { name: /mentioned you in a comment on qubit 0/ }).click();
    await hers.page.getByText('The line was changed.').waitFor();
    expect(await hers.page.getByRole('button', { name: /note|Change|Delete/ }).count()).toBe(0);
    await hers.page.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
    await hers.page.getByRole('link', { name: /Drift of qubit 0/ }).click();
    await hers.page.getByRole('textbox', { name: 'Reply', exact: true }).fill('I saw it too.');
    await hers.page.getByRole('button', { name: 'Reply' }).click();
    await hers.page.getByText('I saw it too.').waitFor();
    expect(await hers.page.getByRole('button', { name: 'Close it' }).count()).toBe(0);
    await hers.context.close();

    await page.getByRole('link', { name: 'Inbox, 1 not read' }).click();
    await page.getByRole('button', { name: /Drift of qubit 0/ }).click();
    await page.getByText('I saw it too.').waitFor();
    await pages.look(page, 'thread');
    await page.getByRole('button', { name: 'Close it' }).click();
    await page.getByText('The thread is closed').waitFor();
    await page.getByRole('link', { name: 'Forum' }).click();
    await page.getByText('No thread is open').waitFor();
    await pages.look(page, 'forum');
    await context.close();
    expect(pages.faults).toEqual([]);
  });

  test('an issue is opened on a result, answered and closed where the figure is', async ({
    onTestFailed,
  }) => {
    let taskId = '';
    await expect
      .poll(
        async () => {
          const answer = await pages.api.ask(`/task-results?chip_id=${CHIP}&qid=0`);
          const [found] = results.parse(await answer.json()).items;
          taskId = found?.task_id ?? '';
          return found?.status;
        },
        { timeout: 120_000 },
      )
      .toBe('completed');
    const { page, context } = await pages.enter(`task-results/${taskId}?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('button', { name: 'Open an issue' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('The fit is odd');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Look at the tail.');
    await page.getByRole('button', { name: 'Open it' }).click();
    const issue = page.getByRole('region', { name: 'Issue The fit is odd' });
    await issue
      .getByRole('textbox', { name: 'Reply to The fit is odd', exact: true })
      .fill('It is the readout.');
    await issue.getByRole('button', { name: 'Reply' }).click();
    await issue.getByText('It is the readout.').waitFor();
    await pages.look(page, 'result-issues');
    await issue.getByRole('button', { name: 'Close it' }).click();
    await issue.getByText('closed', { exact: true }).waitFor();
    expect(await issue.getByLabel(/^Reply to/).count()).toBe(0);
    await context.close();
    expect(pages.faults).toEqual([]);
  });
});
