import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';

const CHIP = 'A16';
const FLOW = `import type { Session } from 'calibron';

export async function look(session: Session) {
  await session.run({ name: 'Look', tasks: ['CheckRabi'], targets: session.targets.qubits([2]) });
}
`;

/** Runs in the page: keeps comparisons from the worker that computes them until they are released. */
const holdComparisons = `
  const heldComparisons = [];
  let noteFirst;
  globalThis.firstComparison = new Promise((resolve) => {
    noteFirst = resolve;
  });
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (!JSON.stringify(message).includes('computeDiff')) return post.call(this, message, ...rest);
    heldComparisons.push(
      () =>
        new Promise((resolve) => {
          this.addEventListener('message', () => setTimeout(resolve), { once: true });
          post.call(this, message, ...rest);
        }),
    );
    noteFirst();
  };
  globalThis.releaseComparisons = async () => {
    await Promise.all(heldComparisons.map((release) => release()));
    return heldComparisons.length;
  };
`;

/** Runs in the page: keeps React, which renders in messages to itself, from rendering until it is released. */
const holdRenders = `
  const heldRenders = [];
  const tellItself = MessagePort.prototype.postMessage;
  globalThis.holdRenders = () => {
    MessagePort.prototype.postMessage = function (...message) {
      heldRenders.push(() => tellItself.apply(this, message));
    };
  };
  globalThis.releaseRenders = () => {
    MessagePort.prototype.postMessage = tellItself;
    for (const render of heldRenders.splice(0)) render();
  };
`;

describe.skipIf(browserPath() === undefined)('the flows of the console', () => {
  let pages: ConsolePages;
  let project: string;

  beforeAll(async () => {
    pages = await openConsolePages();
    project = await pages.api.newProject(CHIP, ['2']);
    await pages.api.ask('/flows', { name: 'look', chip_id: CHIP, code: FLOW });
  });
  afterAll(() => pages?.close());

  test('a flow is changed with completion, refused at its line, saved, compared with its version and run', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`flows?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.getByRole('link', { name: /^look/ }).click();
    const editor = page.locator('.code-editor .monaco-editor').first();
    await editor.locator('.view-line', { hasText: 'session.run' }).waitFor();
    expect(loaded.filter((url) => !url.startsWith(pages.api.base))).toEqual([]);
    await pages.look(page, 'flow-code');

    // The types come from the declarations of flows.
    await editor.locator('.view-line', { hasText: 'session.run' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('session.lo');
    // The first check of the types loads them; what is asked before is answered by words of the text.
    await editor.locator('.squiggly-error').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget').getByRole('option', { name: /^log/ }).waitFor();
    await pages.look(page, 'flow-completion');
    await page.keyboard.press('Escape');
    await page.keyboard.type("gg('looked');");

    // What the service refuses is shown at its line.
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('Line 5:').waitFor();
    await editor.locator('.squiggly-error').first().waitFor();
    await pages.look(page, 'flow-refused');
    await editor.locator('.view-line', { hasText: 'logg' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type("session.log('looked');");
    await page.keyboard.press('Control+s');
    // The editor has alerts of its own, which are empty.
    await page.locator('.problem').waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Versions' }).click();
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(2);
    await page.locator('.difference .line-insert').first().waitFor();
    await pages.look(page, 'flow-versions');
    await page.getByRole('tab', { name: 'Run' }).click();
    await page.getByRole('button', { name: `Start on ${CHIP}` }).click();
    await page.locator('.log li', { hasText: 'looked' }).waitFor();
    await page.locator('.status.completed').waitFor();
    const link = page.getByRole('link', { name: 'The same run in Temporal' });
    expect(await link.getAttribute('href')).toMatch(/\/workflows\/exec%3A/);

    await page.getByRole('link', { name: 'Flows' }).click();
    await page
      .getByRole('link', { name: /^Coherence limit/i })
      .first()
      .click();
    await page.getByLabel('Name').fill('mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'mine' }).waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('button', { name: 'Delete mine with its schedules' }).click();
    await page.getByText('Flows plan what is measured').waitFor();
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('a template has its title, and says which flow its start saves or replaces; a second name of a parameter is left out', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`start?project=${project}&template=bringup`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('heading', { name: 'Bring-up' }).waitFor();
    await page.getByText('A start saves the template as the flow bringup of the project.').waitFor();
    await page.getByLabel('resonator_assignment_order').waitFor();
    expect(await page.getByLabel('resonator_assignment_pattern').count()).toBe(0);
    const code = FLOW.replace('function look', 'function bringup');
    await pages.api.ask('/flows', { name: 'bringup', chip_id: CHIP, code });
    await page.reload();
    await page.getByText("The project's flow bringup has other code than this template.").waitFor();
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('a comparison that is left before it is computed ends without an error', async ({ onTestFailed }) => {
    const code = FLOW.replace('function look', 'function left');
    await pages.api.ask('/flows', { name: 'left', chip_id: CHIP, code });
    await pages.api.ask('/flows', { name: 'left', chip_id: CHIP, code: code.replace("'Look'", "'Left'") });
    const { page, context } = await pages.enter(`flows?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('link', { name: /^left/ }).waitFor();
    await page.addInitScript(holdComparisons);
    await page.goto(new URL(`/console/flows?project=${project}&flow=left&tab=versions`, pages.api.base).href);
    await page.evaluate('firstComparison');
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.locator('.difference').waitFor({ state: 'detached' });
    const answered = await page.evaluate('releaseComparisons()');
    expect(answered).toBeGreaterThan(0);
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('what is typed is saved as it is when the keys are pressed, and what is typed meanwhile stays', async ({
    onTestFailed,
  }) => {
    const code = FLOW.replace('function look', 'function typed');
    await pages.api.ask('/flows', { name: 'typed', chip_id: CHIP, code });
    const { page, context } = await pages.enter(`flows?project=${project}`);
    onTestFailed(() => pages.tellOfFailure(page));
    await page.getByRole('link', { name: /^typed/ }).waitFor();
    await page.addInitScript(holdRenders);
    await page.goto(new URL(`/console/flows?project=${project}&flow=typed`, pages.api.base).href);
    const editor = page.locator('.code-editor .monaco-editor').first();
    await editor.locator('.view-line', { hasText: 'session.run' }).click();
    await page.keyboard.press('Control+End');
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/flows', async (route) => {
      if (route.request().method() === 'POST') await answered;
      await route.continue();
    });

    await page.evaluate('holdRenders()');
    await page.keyboard.type('// first');
    const request = page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/flows'));
    await page.keyboard.press('Control+s');
    const sent = z.object({ code: z.string() }).parse((await request).postDataJSON());
    expect(sent.code).toBe(`${code}// first`);
    await page.evaluate('releaseRenders()');

    await page.keyboard.type(', second');
    await page.getByRole('tab', { name: 'Code •' }).waitFor();
    const saved = page.waitForResponse((each) => each.request().method() === 'POST');
    answer();
    expect((await saved).status()).toBe(200);
    await editor.locator('.view-line', { hasText: '// first, second' }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('tab', { name: 'Code', exact: true }).waitFor();
    const kept = await pages.api.ask('/flows/typed');
    expect(await kept.json()).toMatchObject({ code: `${code}// first, second` });

    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: /^Restore/ }).click();
    await page.getByRole('tab', { name: 'Code' }).click();
    await editor.locator('.view-line', { hasText: /first$/ }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(pages.faults).toEqual([]);
    await context.close();
  });

  test('a viewer reads a flow and its versions, and sees no button to change or run it', async () => {
    const viewer = { username: `reader-${project.slice(0, 8)}`, password: 'look but do not touch' };
    await pages.api.ask('/auth/register', viewer);
    await pages.api.ask(`/projects/${project}/members`, { username: viewer.username, role: 'viewer' });
    const { page, context } = await pages.enter(`flows?project=${project}&flow=look`, viewer);
    await page.locator('.code-editor .view-line', { hasText: 'session.run' }).waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual(['Code', 'Versions']);
    expect(await page.getByRole('button', { name: /Save|Delete|Restore|Start/ }).count()).toBe(0);
    expect(await page.getByText('New, from a template').count()).toBe(0);
    await context.close();
  });
});
