import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';
import { eventually } from '../support/laboratory.ts';

const results = z.object({ items: z.array(z.unknown()) });
const CHIP = 'A16';
const TASK = 'CheckQubitSpectroscopy';
/** More than a page has. */
const CONTROLS = 80;

/** Presses a key until the control of this name has the focus, as a person without a mouse does. */
async function moveTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  const focused = page.locator(':focus');
  for (let presses = 0; presses < CONTROLS; presses += 1) {
    await page.keyboard.press(key);
    if ((await focused.count()) > 0 && (await focused.getAttribute('aria-label')) === name) return;
  }
  throw new Error(`no key leads to ${name}`);
}

describe.skipIf(browserPath() === undefined)('the reviews of what was measured', () => {
  let pages: ConsolePages;
  let project: string;
  const viewer = { username: '', password: 'look but do not touch' };

  beforeAll(async () => {
    pages = await openConsolePages();
    const { api } = pages;
    project = await api.newProject(CHIP, ['0']);
    viewer.username = `ada-${project.slice(0, 8)}`;
    await api.ask('/auth/register', viewer);
    await api.ask(`/projects/${project}/members`, { username: viewer.username, role: 'viewer' });
    await api.ask(`/tasks/${TASK}/execute`, { chip_id: CHIP, qid: '0' });
    await eventually(async () => {
      const found = await api.ask(`/task-results?chip_id=${CHIP}&task=${TASK}&status=completed`);
      return results.parse(await found.json()).items.length === 1;
    }, 60_000);
  });
  afterAll(() => pages?.close());

  test('a person holds a result after its review, accepts it again, and a viewer only looks', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`reviews?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByText('Nothing was reviewed yet').waitFor();
    await pages.look(page, 'reviews-none');
    await page.getByRole('button', { name: `${TASK} Task` }).waitFor();
    await page.getByRole('button', { name: 'Review its newest results' }).click();
    await page.getByText('One result is being reviewed.').waitFor();
    const review = page.getByRole('article', { name: `Review of ${TASK} on 0` });
    await review.getByText(/fit-quality/).waitFor();
    await review.getByRole('img').first().waitFor();
    await pages.look(page, 'reviews');
    await review.getByRole('button', { name: `Hold ${TASK} on 0` }).click();
    await review.getByText('Held: metrics leave it out.').waitFor();
    await review.getByRole('button', { name: `Accept ${TASK} on 0` }).click();
    await review.getByText('Accepted: metrics count it.').waitFor();
    await context.close();

    const looking = await pages.enter(`reviews?project=${project}`, viewer);
    onTestFailed(() => pages.tellOfFailure(looking.page));
    await looking.page.getByRole('article').first().waitFor();
    expect(await looking.page.getByRole('button', { name: /Accept|Hold|Review/ }).count()).toBe(0);
    await looking.context.close();
    expect(pages.faults).toEqual([]);
  });

  test('a person reviews without a mouse, and keeps the place after each decision', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`reviews?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    const review = page.getByRole('article', { name: `Review of ${TASK} on 0` });
    await review.getByRole('button', { name: `Hold ${TASK} on 0` }).waitFor();
    await moveTo(page, `Hold ${TASK} on 0`);
    await page.keyboard.press('Enter');
    await review.getByText('Held: metrics leave it out.').waitFor();
    await moveTo(page, `Accept ${TASK} on 0`, 'Shift+Tab');
    await page.keyboard.press('Space');
    await review.getByText('Accepted: metrics count it.').waitFor();
    // The focus has stayed on the button.
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe(`Hold ${TASK} on 0`);
    await context.close();
    expect(pages.faults).toEqual([]);
  });
});
