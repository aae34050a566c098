import { createServer } from 'node:net';
import { TOTP } from 'otpauth';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildConsole } from '../../../scripts/console/built-console.ts';
import { browserPath, openBrowser, openContext } from '../../support/browser.ts';
import { lookAt } from '../../support/console-pages.ts';
import { type Api, type Person, startApi } from '../harness.ts';

/** A port that nothing listens at. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

describe.skipIf(browserPath() === undefined)('the sign-in with a passkey', () => {
  let api: Api;
  let browser: Browser;
  let person: Person;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    // Browsers bind passkeys to a name, not to a number.
    address = `http://localhost:${port}/console`;
    [api, browser] = await Promise.all([
      startApi({ environment: { CLIENT_URL: address } }),
      openBrowser(),
      buildConsole(),
    ]);
    await api.server.listen({ host: '127.0.0.1', port });
    person = await api.makePerson();
    await api.makeProject(person);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  test('a user adds a second factor and a passkey, and signs in with it instead of a code', async ({
    onTestFailed,
  }) => {
    const context = await openContext(browser);
    const page = await context.newPage();
    onTestFailed(async () => console.log(await page.locator('body').innerText()));
    const devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${address}/people?section=account`);
    await page.getByLabel('Username').fill(person.username);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();

    await page.getByRole('button', { name: 'Add a second factor' }).click();
    await page.getByLabel('Your password').fill(person.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    const secret = await page.locator('code.key').innerText();
    await page.getByLabel('Code of the app').fill(new TOTP({ secret }).generate());
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('status', { name: 'Recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have kept it' }).click();

    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByLabel('Your password').fill(person.password);
    await page.getByLabel('Name', { exact: true }).fill('laptop');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row', { name: /laptop.*never/ }).waitFor();
    expect(await lookAt(page, 'people-account')).toEqual([]);

    await page.getByRole('button', { name: person.username }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Username').fill(person.username);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    expect(await lookAt(page, 'sign-in-passkey')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('row', { name: /laptop/ }).waitFor();
    expect(await page.getByRole('row', { name: /laptop.*never/ }).count()).toBe(0);
    await context.close();
  });
});
