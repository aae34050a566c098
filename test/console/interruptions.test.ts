import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { UserDocument } from '../../shared/domain/accounts/model.ts';
import { createTokens, tokenSecret } from '../../shared/domain/accounts/tokens.ts';
import { executionIdSchema, type ProjectId } from '../../shared/kernel/ids.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { browserPath } from '../support/browser.ts';
import { administrator } from '../support/common-laboratory.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';
import { buildCheckedServer } from '../support/documented-answers.ts';

const CHIP = 'A16';
const FLOW = `export async function careful(session) {
  const first = await session.run({ name: 'before', tasks: ['CheckRabi'], targets: session.targets.qubits(['0']) });
  await session.approval({ question: 'Go on?', options: ['go on', 'end'], default: 'end', deadline_seconds: 3600 });
  await session.run({ name: 'after', tasks: ['CheckT1'], targets: first.passed });
}
`;
const URGENT = `export async function urgent(session) {
  await session.approval({ question: 'Enough?', options: ['enough'], default: 'enough', deadline_seconds: 3600 });
}
`;
const started = z.object({ execution_id: executionIdSchema });

describe.skipIf(browserPath() === undefined)('the console through interruptions', () => {
  let pages: ConsolePages;
  let project: ProjectId;
  /** The API after a restart, at the address of the first one. */
  let restarted: Awaited<ReturnType<typeof buildCheckedServer>> | undefined;
  const viewer = { username: '', password: 'look but do not touch' };

  beforeAll(async () => {
    pages = await openConsolePages();
    project = await pages.api.newProject(CHIP, ['0']);
    viewer.username = `iris-${project.slice(0, 8)}`;
    await pages.api.ask('/auth/register', viewer);
    await pages.api.ask(`/projects/${project}/members`, { username: viewer.username, role: 'viewer' });
    await pages.api.ask('/flows', { name: 'careful', chip_id: CHIP, code: FLOW });
    await pages.api.ask('/flows', { name: 'urgent', chip_id: CHIP, code: URGENT });
  });
  afterAll(async () => {
    await pages?.close();
    await restarted?.close();
  });

  async function restart(): Promise<void> {
    const { api } = pages;
    restarted = await buildCheckedServer({ ...api.lab, log: createLog('test', 'SILENT') });
    await restarted.listen({ host: '127.0.0.1', port: Number(new URL(api.base).port) });
  }

  test('a session that is revoked ends in all tabs within seconds', async ({ onTestFailed }) => {
    const { page, context } = await pages.enter(`executions?project=${project}`, viewer);
    onTestFailed(() => pages.tellOfFailure(page));
    const other = await context.newPage();
    await other.goto(`${pages.api.base}/console/people?project=${project}`);
    await other.getByRole('heading', { name: /^Members of/ }).waitFor();
    await pages.api.ask('/auth/reset-password', {
      username: viewer.username,
      new_password: 'another secret',
    });
    viewer.password = 'another secret';
    for (const tab of [page, other]) {
      await tab.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      expect(await tab.getByRole('link', { name: 'People' }).count()).toBe(0);
    }
    await context.close();
  });

  test('a session that has expired asks for a new sign-in, and shows the same page after it', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`executions?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('heading', { name: /Executions/ }).waitFor();
    const { settings, database } = pages.api.lab;
    const user = await database.db
      .collection<UserDocument>('users')
      .findOne({ username: administrator.username });
    const second = { lifetime: 1, idle: 1 };
    const tokens = createTokens(() => tokenSecret(settings.TOKEN_SECRET, settings.DATA_DIR), second);
    const { access_token: value } = await tokens.issue(user ?? expect.fail());
    const [cookie] = await context.cookies(`${pages.api.base}/console/api`);
    await context.addCookies([{ ...(cookie ?? expect.fail()), value }]);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await pages.signIn(page, administrator);
    await page.getByRole('heading', { name: /Executions/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/executions');
    await context.close();
  });

  test('a person stops a run, which measures no further, and cancels another one in the middle of a measurement', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`start?project=${project}&flow=careful`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('button', { name: `Start on ${CHIP}` }).click();
    await page.getByText('Go on?', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText(/^admin stopped the run\. 1 of 1 tasks completed/).waitFor();
    await page.locator('.status.completed').waitFor();

    const match = { project_id: project, task_name: 'CheckRabi' };
    await pages.api.lab.setFaults({ rules: [{ match, behaviour: 'slow', seconds: 3600 }] });
    await page.getByRole('link', { name: 'Run it again' }).click();
    await page.getByRole('button', { name: `Start on ${CHIP}` }).click();
    await page.getByRole('button', { name: 'CheckRabi on 0: measuring' }).waitFor();
    const question = page.getByRole('alertdialog', { name: /^Cancel the run / });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    // Enter alone keeps the run.
    await question.waitFor();
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.status.cancelled').waitFor();
    expect(await page.getByRole('button', { name: /^(Pause|Stop|Cancel)$/ }).count()).toBe(0);
    await pages.api.lab.setFaults({ rules: [] });
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('a more urgent run uses the chip in between, and the pages of both runs lead to the other one', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`start?project=${project}&flow=careful`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByText('When two runs want the chip').click();
    await page.getByText('Let more urgent runs in between', { exact: true }).click();
    await page.getByRole('button', { name: `Start on ${CHIP}` }).click();
    await page.getByText('Go on?', { exact: true }).waitFor();
    const long = new URL(page.url());

    await page.goto(`${pages.api.base}/console/start?project=${project}&flow=urgent`);
    await page.getByText('When two runs want the chip').click();
    await page.getByRole('button', { name: /Priority$/ }).click();
    await page.getByRole('option', { name: '9, most urgent' }).click();
    await page.getByRole('button', { name: `Start on ${CHIP}` }).click();
    const longLink = page.getByText('Measures between the measurements of').getByRole('link');
    await longLink.waitFor();
    const short = new URL(page.url());
    await pages.look(page, 'run-in-between');
    await longLink.click();
    const shortLink = page.getByText('uses the chip in between').getByRole('link');
    await shortLink.waitFor();
    expect(new URL(page.url()).pathname).toBe(long.pathname);
    await pages.look(page, 'run-preempted');
    await shortLink.click();
    await page.getByRole('button', { name: 'enough', exact: true }).click();
    await page.locator('.status.completed').waitFor();
    expect(new URL(page.url()).pathname).toBe(short.pathname);

    await page.goto(long.href);
    await page.getByText('uses the chip in between').waitFor({ state: 'detached' });
    // With the keyboard alone: the focus stays where it was, on what the button became.
    const focused = (name: string) => page.locator('button:focus', { hasText: name }).waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for resume').waitFor();
    await focused('Resume');
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for resume').waitFor({ state: 'detached' });
    await focused('Pause');
    await page.getByRole('button', { name: 'end', exact: true }).click();
    await page.locator('.status.completed').waitFor();
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('a run that two people watch goes on for both over a restart of the API and a cut of the network', async ({
    onTestFailed,
  }) => {
    const answer = await pages.api.ask('/flows/careful/execute', {});
    const { execution_id } = started.parse(await answer.json());
    const place = `execution/${CHIP}/${execution_id}?project=${project}`;
    const [owners, viewers] = [await pages.enter(place), await pages.enter(place, viewer)];
    const both: Page[] = [owners.page, viewers.page];
    for (const page of both) {
      onTestFailed(() => pages.tellOfFailure(page));
      await page.getByRole('button', { name: 'CheckRabi on 0: passed' }).waitFor();
      await page.getByText('Go on?', { exact: true }).waitFor();
    }
    expect(
      await viewers.page.getByRole('button', { name: /go on|Pause|Stop|Cancel|Rerun|Write a note/ }).count(),
    ).toBe(0);

    const losses = both.map((page) => page.getByText('The connection is lost').waitFor());
    await pages.api.close();
    await Promise.all(losses);
    for (const page of both) await page.getByRole('button', { name: 'CheckRabi on 0: passed' }).waitFor();
    await restart();
    for (const page of both) await page.getByText('The connection is lost').waitFor({ state: 'detached' });

    await viewers.context.setOffline(true);
    await owners.page.getByRole('button', { name: 'go on', exact: true }).click();
    await owners.page.getByRole('button', { name: 'CheckT1 on 0: passed' }).waitFor();
    await owners.page.locator('.status.completed').waitFor();
    await viewers.page.getByRole('button', { name: 'CheckRabi on 0: passed' }).waitFor();
    await viewers.context.setOffline(false);
    await viewers.page.getByRole('button', { name: 'CheckT1 on 0: passed' }).waitFor();
    await viewers.page.locator('.status.completed').waitFor();
    await owners.context.close();
    await viewers.context.close();
    expect(pages.faults).toEqual([]);
  });
});
