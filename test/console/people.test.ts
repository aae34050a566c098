import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPath } from '../support/browser.ts';
import { type ConsolePages, openConsolePages } from '../support/console-pages.ts';

const CHIP = 'A16';

describe.skipIf(browserPath() === undefined)('the pages about people', () => {
  let pages: ConsolePages;
  let project: string;

  beforeAll(async () => {
    pages = await openConsolePages();
    project = await pages.api.newProject(CHIP, ['0']);
  });
  afterAll(() => pages?.close());

  test('an administrator makes an account, adds it to a project, and finds both in the audit trail', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`people?project=${project}&section=users`);
    onTestFailed(() => pages.tellOfFailure(page));
    const username = `ada-${project.slice(0, 8)}`;
    await page.getByRole('button', { name: 'Create an account' }).click();
    // A correction after a refusal is sent by one click.
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.locator('.react-aria-FieldError').waitFor();
    await page.getByLabel('Username').fill('no user name');
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.getByRole('button', { name: 'Make it' }).click();
    const secret = page.getByRole('status', { name: `The temporary password of ${username}` });
    const temporary = await secret.locator('code').innerText();
    await pages.look(page, 'people-users');
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await secret.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByLabel('Username').fill('nobody-of-this-name');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Username').fill(username);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('row', { name: new RegExp(username) });
    await row.waitFor();
    await row.getByRole('button', { name: /Role of/ }).click();
    await page.getByRole('option', { name: 'editor' }).click();
    await row.getByText('starts runs and changes data').waitFor();
    await pages.look(page, 'people-members');

    // Meanwhile she signs in and sees nothing that would be refused.
    const hers = await pages.enter(`people?project=${project}`, { username, password: temporary });
    await hers.page.getByRole('row', { name: new RegExp(username) }).waitFor();
    expect(
      await hers.page.getByRole('navigation', { name: 'People' }).getByRole('link').allTextContents(),
    ).toEqual(['Members', 'Projects', 'Your sign-in', 'Your tokens', 'Backends']);
    expect(await hers.page.getByRole('button', { name: /Add|Remove|Role of/ }).count()).toBe(0);
    // What is in the bar never makes a second line of it.
    const bar = hers.page.locator('header.bar');
    expect((await bar.boundingBox())?.height).toBeLessThan(60);
    await pages.look(hers.page, 'people-temporary-password');
    await hers.page.setViewportSize({ width: 1000, height: 900 });
    expect((await bar.boundingBox())?.height).toBeLessThan(100);
    expect(await hers.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1000);
    await hers.page.getByRole('link', { name: 'Change your temporary password' }).click();
    await hers.page.getByRole('button', { name: 'Change the password' }).click();
    await hers.page.getByLabel('Your password').fill(temporary);
    await hers.page.getByLabel('New password').fill('a password of her own');
    await hers.page.getByRole('button', { name: 'Change it' }).click();
    await hers.page
      .getByRole('link', { name: 'Change your temporary password' })
      .waitFor({ state: 'detached' });
    await hers.context.close();

    await page.getByRole('link', { name: 'Audit trail' }).click();
    await page.getByRole('rowheader', { name: 'member changed' }).first().waitFor();
    await page.getByLabel('Username').fill('admin');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('row', { name: new RegExp(`member added.*${username}`) }).waitFor();
    await pages.look(page, 'people-audit');

    await page.getByRole('link', { name: 'Members' }).click();
    await row.getByRole('button', { name: `Remove ${username}` }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await row.getByRole('button', { name: `Remove ${username}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    await context.close();
    expect(pages.faults).toEqual([]);
  });

  test('a token is shown once, works until it is revoked, and no longer', async ({ onTestFailed }) => {
    const { page, context } = await pages.enter(`people?project=${project}&section=tokens`);
    onTestFailed(() => pages.tellOfFailure(page));
    const name = `notebook-${project.slice(0, 8)}`;
    await page.getByRole('button', { name: 'Make a token' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await pages.look(page, 'people-new-token');
    await page.getByRole('button', { name: 'Make it' }).click();
    const token = await page
      .getByRole('status', { name: `The token ${name}` })
      .locator('code')
      .innerText();
    const status = async () =>
      (
        await fetch(`${pages.api.base}/chips`, {
          headers: { authorization: `Bearer ${token}`, 'x-project-id': project },
        })
      ).status;
    expect(await status()).toBe(200);
    await pages.look(page, 'people-tokens');
    await page.reload();
    const row = page.getByRole('row', { name: new RegExp(name) });
    await row.waitFor();
    expect(await page.getByText(token).count()).toBe(0);
    await row.getByRole('button', { name: `Revoke ${name}` }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await status()).toBe(401);
    await context.close();
    expect(pages.faults).toEqual([]);
  });

  test('a project is created, renamed and deleted, and backends and updates show their state', async ({
    onTestFailed,
  }) => {
    const { page, context } = await pages.enter(`people?project=${project}&section=backends`);
    onTestFailed(() => pages.tellOfFailure(page));
    const backend = page.getByRole('region', { name: 'Backend simulator' });
    await backend
      .getByText(/^1 worker connected\.$/)
      .first()
      .waitFor();
    await backend
      .getByText(/^Measures \d+ tasks/)
      .first()
      .click();
    await backend.getByText('CheckT1', { exact: true }).first().waitFor();
    await pages.look(page, 'people-backends');
    await page.getByRole('link', { name: 'System updates' }).click();
    await page.getByText('Updates from this page are disabled.').waitFor();
    expect(await page.getByText('unknown').count()).toBe(0);
    await pages.look(page, 'people-updates');
    await page.getByRole('link', { name: 'Deployments' }).click();
    await page.getByText('workers without a version').waitFor();
    await page
      .getByText('No run is open.')
      .or(page.getByRole('row', { name: /another project/ }).first())
      .waitFor();
    await pages.look(page, 'people-deployments');

    const [name, later] = [`New ${project.slice(0, 8)}`, `Renamed ${project.slice(0, 8)}`];
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('button', { name: 'Create a project' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: `Rename ${name}`, exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill(later);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: `Delete ${later}`, exact: true }).waitFor();
    await pages.look(page, 'people-projects');
    // A project begins without a chip, which its owner adds here.
    await page.getByRole('link', { name: later, exact: true }).first().click();
    await page.getByRole('link', { name: 'Chip', exact: true }).click();
    await page.getByRole('heading', { name: 'There is no chip yet' }).waitFor();
    await page.getByLabel('Name of the chip').fill('a name with spaces');
    await page.getByRole('button', { name: 'Add the chip' }).click();
    await page.getByText('Use letters, digits, dots').waitFor();
    await page.getByLabel('Name of the chip').fill('FIRST');
    await pages.look(page, 'chip-new');
    await page.getByRole('button', { name: 'Add the chip' }).click();
    await page.getByRole('heading', { name: 'FIRST' }).waitFor();
    await page.getByText('A new chip begins with the template Bring-up.').waitFor();
    const { search } = new URL(page.url());
    await page.goto(`${pages.api.base}/console/execution/FIRST/20000101-000${search}`);
    await page.getByRole('link', { name: 'All executions of the chip' }).waitFor();
    await page.goto(`${pages.api.base}/console/people?project=${project}&section=projects`);
    await page.getByRole('button', { name: `Delete ${later}`, exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: `Delete ${later}`, exact: true }).waitFor({ state: 'detached' });
    await context.close();
    expect(pages.faults).toEqual([]);
  });
});
